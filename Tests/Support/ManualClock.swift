import Platform
import Synchronization

/// A clock that a test sets.
public final class ManualClock: TimeSource {
    private struct Reading {
        var monotonic: UInt64
        var utc: Int64
        var slept: UInt64 = 0
    }

    private let reading: Mutex<Reading>

    /// A clock that shows these times: a second after boot and 2023-11-14T22:13:20Z by default.
    public init(monotonicNanoseconds: UInt64 = 1_000_000_000, utcMicroseconds: Int64 = 1_700_000_000_000_000) {
        reading = Mutex(Reading(monotonic: monotonicNanoseconds, utc: utcMicroseconds))
    }

    /// A clock that begins at the present time of the system's monotonic clock, by which timers wait.
    public static func beginningNow() -> ManualClock {
        ManualClock(monotonicNanoseconds: SystemClock().monotonicNanoseconds)
    }

    /// Nanoseconds, as set.
    public var monotonicNanoseconds: UInt64 { reading.withLock { $0.monotonic } }
    /// Nanoseconds, as set, and those that were slept.
    public var bootNanoseconds: UInt64 { reading.withLock { $0.monotonic + $0.slept } }
    /// Microseconds, as set.
    public var utcMicroseconds: Int64 { reading.withLock { $0.utc } }

    /// Advances both clocks by a number of seconds, 0 or more.
    public func advance(seconds: Double) {
        reading.withLock {
            $0.monotonic += UInt64(seconds * 1_000_000_000)
            $0.utc += Int64(seconds * 1_000_000)
        }
    }

    /// Advances both clocks by a number of microseconds, exactly.
    public func advance(microseconds: UInt32) {
        reading.withLock {
            $0.monotonic += UInt64(microseconds) * 1_000
            $0.utc += Int64(microseconds)
        }
    }

    /// Simulates a suspend of the machine for a number of seconds.
    public func sleep(seconds: UInt32) {
        reading.withLock {
            $0.slept += UInt64(seconds) * 1_000_000_000
            $0.utc += Int64(seconds) * 1_000_000
        }
    }

    /// Sets the wall clock back or forth, as an administrator would; the monotonic one stays.
    public func setWallClock(utcMicroseconds: Int64) {
        reading.withLock { $0.utc = utcMicroseconds }
    }
}
