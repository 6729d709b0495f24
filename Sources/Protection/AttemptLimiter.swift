import Location

/// Slows down whoever tries passphrases: after the sixth wrong one in a row the next attempt has to wait,
/// and after each further one longer.
///
/// The record is stored with each failure before the reply, so that a restart forgets none. It limits callers of the daemon;
/// whoever can read the files needs the machine's secret, and Argon2id's time for each attempt.
public struct AttemptLimiter: Equatable, Sendable {
    /// Failures without a wait.
    static let free = 5
    /// Seconds to wait after the sixth failure, the seventh …; the last one applies from then on.
    static let waits: [Double] = [60, 300, 900, 3_600]

    /// The wrong secrets since the last right one.
    public private(set) var failures: Int
    /// When the last one was given.
    public private(set) var lastFailure: UTCTime?

    /// A limiter with this record.
    public init(failures: Int = 0, lastFailure: UTCTime? = nil) {
        self.failures = max(0, failures)
        self.lastFailure = lastFailure
    }

    /// The seconds until the next attempt is accepted; 0 for at once. A clock that was set back restarts the wait, and does
    /// not shorten it.
    public func wait(at now: UTCTime) -> Double {
        guard failures > Self.free, let lastFailure else { return 0 }
        let wait = Self.waits[min(failures - Self.free, Self.waits.count) - 1]
        let passed = now.seconds(since: lastFailure)
        return passed < 0 ? wait : max(0, wait - passed)
    }

    /// Notes a wrong secret. To be stored before the caller gets its reply.
    public mutating func fail(at now: UTCTime) {
        failures += 1
        lastFailure = now
    }

    /// Notes the right secret.
    public mutating func succeed() { self = AttemptLimiter() }

    /// Notes that a clock was set back, so that the wait begins now and ends.
    public mutating func adjust(to now: UTCTime) {
        if let lastFailure, now < lastFailure { self.lastFailure = now }
    }
}
