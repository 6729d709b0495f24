import CLinux
import Durations
import Glibc

/// A deadline, or none, for code that waits in poll(2) on a thread of its own: programs and tests, not the
/// daemon.
public struct PollDeadline: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC; nil for never.
    private let deadline: UInt64?
    private let clock = SystemClock()

    /// So many seconds from now.
    public init(seconds: Double) {
        self.init(after: .seconds(max(0, seconds)))
    }

    /// So long from now, or never.
    public init(after timeout: Duration?) {
        let now = clock.monotonicNanoseconds
        deadline = timeout.map { now.after($0) }
    }

    /// Whole milliseconds left, rounded up, 0 when it has passed, -1 where there is no end: what poll(2) takes.
    public var remainingMilliseconds: Int32 {
        guard let deadline else { return -1 }
        let now = clock.monotonicNanoseconds
        guard now < deadline else { return 0 }
        return Int32(clamping: (deadline - now).addingClamped(999_999) / 1_000_000)
    }

    /// Whether it has passed.
    public var hasPassed: Bool { remainingMilliseconds == 0 }

    /// Waits until a descriptor is ready (or broken) or the deadline passes; whether it was ready.
    public func poll(_ descriptor: Int32, for events: Int32) throws(SystemError) -> Bool {
        try !wait(for: [(descriptor, events)]).isEmpty
    }

    /// Waits until one of the descriptors is ready (or broken), and says which are; none where the time is over.
    public func wait(for descriptors: [(number: Int32, events: Int32)]) throws(SystemError) -> [Int32] {
        var entries = descriptors.map { pollfd(fd: $0.number, events: Int16($0.events), revents: 0) }
        // After a signal the time that is left is computed anew, as it is part of the call that is made again.
        let count = try retrying("poll") { Glibc.poll(&entries, nfds_t(entries.count), remainingMilliseconds) }
        return count == 0 ? [] : entries.filter { $0.revents != 0 }.map(\.fd)
    }
}
