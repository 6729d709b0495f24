import CLinux
import Durations
import Glibc

/// A deadline, or none, for code that blocks in poll(2) on a thread of its own: command line programs and tests, not
/// the daemon.
public struct PollDeadline: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC; nil for never.
    private let deadline: UInt64?
    private let clock = SystemClock()

    /// A deadline this many seconds from now.
    public init(seconds: Double) {
        self.init(after: .seconds(max(0, seconds)))
    }

    /// A deadline after this time, or none.
    public init(after timeout: Duration?) {
        let now = clock.monotonicNanoseconds
        deadline = timeout.map { now.after($0) }
    }

    /// The remaining milliseconds, rounded up: 0 after the deadline, -1 without one, as poll(2) expects it.
    public var remainingMilliseconds: Int32 {
        guard let deadline else { return -1 }
        let now = clock.monotonicNanoseconds
        guard now < deadline else { return 0 }
        return Int32(clamping: (deadline - now).addingClamped(999_999) / 1_000_000)
    }

    /// Whether it has passed.
    public var hasPassed: Bool { remainingMilliseconds == 0 }

    /// Waits until a descriptor is ready or has failed, or the deadline passes. Returns whether it was ready.
    public func poll(_ descriptor: Int32, for events: Int32) throws(SystemError) -> Bool {
        try !wait(for: [(descriptor, events)]).isEmpty
    }

    /// Waits until one of the descriptors is ready or has failed. Returns those that are; none after the deadline.
    public func wait(for descriptors: [(number: Int32, events: Int32)]) throws(SystemError) -> [Int32] {
        var entries = descriptors.map { pollfd(fd: $0.number, events: Int16($0.events), revents: 0) }
        // The call is repeated after a signal, and computes the remaining time again.
        let count = try retrying("poll") { Glibc.poll(&entries, nfds_t(entries.count), remainingMilliseconds) }
        return count == 0 ? [] : entries.filter { $0.revents != 0 }.map(\.fd)
    }
}
