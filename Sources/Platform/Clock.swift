import CLinux
import Glibc

/// A source of time: the system's clocks, or a manual clock in tests.
public protocol TimeSource: Sendable {
    /// Nanoseconds of CLOCK_MONOTONIC: for timers and ages.
    var monotonicNanoseconds: UInt64 { get }
    /// Nanoseconds of CLOCK_BOOTTIME: as CLOCK_MONOTONIC, plus the time during which the machine was suspended.
    var bootNanoseconds: UInt64 { get }
    /// Microseconds since 1970-01-01T00:00:00Z. For timestamps only, because the wall clock may be set back or forward.
    var utcMicroseconds: Int64 { get }
    /// Whether a time service synchronizes the wall clock, as far as the kernel knows.
    var isSynchronised: Bool { get }
    /// Whether a time service synchronizes the wall clock; nil if it is unknown.
    var synchronisation: Bool? { get }
}

extension TimeSource {
    /// The default for a machine that is never suspended.
    public var bootNanoseconds: UInt64 { monotonicNanoseconds }
    /// The default: not synchronized.
    public var isSynchronised: Bool { false }
    /// The default: always known.
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

    /// The value of `synchronisation`, or false if it is unknown.
    public var isSynchronised: Bool { synchronisation ?? false }

    /// The result of adjtimex(2). A process that may not call it, such as a service that cannot set the clock, uses the
    /// marker file of systemd-timesyncd.service(8). Other time services have no marker file; then the result is
    /// unknown.
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
