import CLinux
import Glibc

/// Where the time comes from: the system, or a test's hand.
public protocol TimeSource: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC: for timers and ages.
    var monotonicNanoseconds: UInt64 { get }
    /// Nanoseconds of CLOCK_BOOTTIME: as CLOCK_MONOTONIC counts them, and those in which the machine slept.
    var bootNanoseconds: UInt64 { get }
    /// Microseconds since 1970-01-01T00:00:00Z: for stamps only, it may be set back or forth.
    var utcMicroseconds: Int64 { get }
    /// Whether a time service keeps the wall clock right, as far as the kernel knows.
    var isSynchronised: Bool { get }
    /// The same; nil where it is unknown.
    var synchronisation: Bool? { get }
}

extension TimeSource {
    /// As of a machine that never slept, where a source does not know better.
    public var bootNanoseconds: UInt64 { monotonicNanoseconds }
    /// No, where a source does not know better.
    public var isSynchronised: Bool { false }
    /// What it says, where a source does not know that it does not know.
    public var synchronisation: Bool? { isSynchronised }
}

/// The system's clocks, clock_gettime(2).
public struct SystemClock: TimeSource {
    /// The clocks of this machine.
    public init() {}

    /// Nanoseconds of CLOCK_MONOTONIC.
    public var monotonicNanoseconds: UInt64 { Self.nanoseconds(CLOCK_MONOTONIC) }

    /// Nanoseconds of CLOCK_BOOTTIME.
    public var bootNanoseconds: UInt64 { Self.nanoseconds(CLOCK_BOOTTIME) }

    /// Microseconds of CLOCK_REALTIME.
    public var utcMicroseconds: Int64 {
        let now = Self.read(CLOCK_REALTIME)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
    }

    /// The reported value; false where there is none.
    public var isSynchronised: Bool { synchronisation ?? false }

    /// What adjtimex(2) says. Who may not ask it, as a service that cannot set the clock, goes by the mark of
    /// systemd-timesyncd.service(8); other time services leave none, and then it is unknown.
    public var synchronisation: Bool? {
        let answer = waymark_clock_is_synchronised()
        if answer >= 0 { return answer != 0 }
        return access("/run/systemd/timesync/synchronized", F_OK) == 0 ? true : nil
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        let now = read(clock)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        _ = clock_gettime(clock, &now)
        return now
    }
}
