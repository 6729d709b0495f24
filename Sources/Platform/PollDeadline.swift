import CLinux
import Glibc

/// A moment to give up at, for code that waits in poll(2) on a thread of its own: programs and tests, not the daemon.
public struct PollDeadline: Sendable {
    private let nanoseconds: UInt64
    private let clock: SystemClock

    /// So many seconds from now.
    public init(seconds: Double) {
        clock = SystemClock()
        nanoseconds = clock.monotonicNanoseconds + UInt64(max(0, seconds) * 1_000_000_000)
    }

    /// Whole milliseconds left, rounded up, 0 when it has passed: what poll(2) takes.
    public var remainingMilliseconds: Int32 {
        let now = clock.monotonicNanoseconds
        guard now < nanoseconds else { return 0 }
        return Int32(min((nanoseconds - now + 999_999) / 1_000_000, UInt64(Int32.max)))
    }

    /// Whether it has passed.
    public var hasPassed: Bool { clock.monotonicNanoseconds >= nanoseconds }

    /// Waits until a descriptor is ready (or broken) or the deadline passes; whether it was ready.
    public func poll(_ descriptor: Int32, for events: Int32) throws(SystemError) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return try retrying("wait") { Glibc.poll(&request, 1, remainingMilliseconds) } > 0
    }
}
