/// Limits how often the network is evaluated: a token bucket.
///
/// | evaluations requested at once | 1 | 20 | 30 | 100 |
/// | --- | --- | --- | --- | --- |
/// | the last one runs after (s) | 0 | 0 | 0.5 | 4 |
///
/// Stored as the time at which the bucket will be full again (GCRA, ITU-T I.371), in nanoseconds of CLOCK_MONOTONIC.
public struct EvaluationBudget: Sendable {
    /// The number of evaluations that may run in a row.
    public static let burst: UInt64 = 20
    /// Nanoseconds until the bucket has one more token: 20 a second.
    public static let interval: UInt64 = 50_000_000

    private var full: UInt64 = 0

    /// A full bucket.
    public init() {}

    /// Spends one token. Returns false if there is none.
    public mutating func spend(at now: UInt64) -> Bool {
        guard now >= next else { return false }
        full = max(full, now) + Self.interval
        return true
    }

    /// When a token will be available; in the past if there is one.
    public var next: UInt64 {
        let spare = (Self.burst - 1) * Self.interval
        return full > spare ? full - spare : 0
    }
}
