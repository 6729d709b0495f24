/// How often the network may be looked at: a bucket of so many looks, filled again so many times a second.
///
/// | looks wanted at once | 1 | 20 | 30 | 100 |
/// | --- | --- | --- | --- | --- |
/// | the last one comes after (s) | 0 | 0 | 0.5 | 4 |
///
/// It is kept as the time at which the bucket will be full again (GCRA, ITU-T I.371), in nanoseconds of CLOCK_MONOTONIC.
public struct EvaluationBudget: Sendable {
    /// How many may come in a row.
    public static let burst: UInt64 = 20
    /// Nanoseconds until one more is in the bucket: 20 a second.
    public static let interval: UInt64 = 50_000_000

    private var full: UInt64 = 0

    /// A bucket that is full.
    public init() {}

    /// Takes one look, where there is one.
    public mutating func spend(at now: UInt64) -> Bool {
        guard now >= next else { return false }
        full = max(full, now) + Self.interval
        return true
    }

    /// When there will be a look: in the past where there is one.
    public var next: UInt64 {
        let spare = (Self.burst - 1) * Self.interval
        return full > spare ? full - spare : 0
    }
}
