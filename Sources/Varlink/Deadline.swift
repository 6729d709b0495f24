import CLinux
import Glibc
import Platform

/// A moment by which a blocking call must be done, or none.
struct Deadline {
    private let moment: UInt64?

    /// So long from now, or never.
    init(after timeout: Duration?) {
        moment = timeout.map { SystemClock().monotonicNanoseconds.addingClamped($0.nanoseconds) }
    }

    /// Milliseconds left for poll(2), rounded up; -1 where there is no end.
    private var milliseconds: Int32 {
        guard let moment else { return -1 }
        let now = SystemClock().monotonicNanoseconds
        guard moment > now else { return 0 }
        return Int32(clamping: (moment - now).addingClamped(999_999) / 1_000_000)
    }

    /// Waits until one of the descriptors is ready, and says which are; none where the time is over. poll(2).
    func wait(for descriptors: [(number: Int32, events: Int32)]) throws(SystemError) -> [Int32] {
        var entries = descriptors.map { pollfd(fd: $0.number, events: Int16($0.events), revents: 0) }
        // Not `retrying`: after a signal the time that is left has to be computed anew.
        while true {
            let count = poll(&entries, nfds_t(entries.count), milliseconds)
            if count >= 0 { return entries.filter { $0.revents != 0 }.map(\.fd) }
            let code = errno
            if code != EINTR { throw SystemError("poll", code: code) }
        }
    }
}

extension UInt64 {
    func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
