import Location

/// How often an app may still be woken: a token bucket, stored as the one time at which it is full again.
///
///     burst 5, one more every 180 s
///     wakes at     0 s  0 s  0 s  0 s  0 s  0 s     179 s  180 s
///     is allowed   yes  yes  yes  yes  yes  no      no     yes
///
/// It uses the wall clock, because the budget continues over a restart of the machine. A clock that was set back delays no
/// app for longer than an empty bucket would.
public struct WakeBudget: Equatable, Sendable {
    /// When the bucket is full again, in microseconds since 1970.
    private(set) var fullAt: Int64

    /// A full bucket.
    public init() { fullAt = 0 }

    init(fullAt: Int64) { self.fullAt = fullAt }

    /// How many wakes are left.
    public func left(at now: UTCTime, _ rules: WakeRules) -> Int {
        let missing = missing(at: now, rules)
        let used = (missing + rules.interval - 1) / rules.interval
        return max(0, rules.burst - Int(used))
    }

    /// When one wake is left; nil if there is one now.
    public func availableAt(_ now: UTCTime, _ rules: WakeRules) -> UTCTime? {
        guard left(at: now, rules) == 0 else { return nil }
        let wait = missing(at: now, rules) - Int64(rules.burst - 1) * rules.interval
        return UTCTime(microseconds: now.microseconds + wait)
    }

    /// Counts a wake.
    mutating func consume(at now: UTCTime, _ rules: WakeRules) {
        fullAt = now.microseconds + missing(at: now, rules) + rules.interval
    }

    /// Counts a wake less, which was not made.
    mutating func refund(_ rules: WakeRules) { fullAt -= rules.interval }

    /// Applies the limits, after a change of the clock or of the settings: a bucket is never emptier than empty.
    mutating func clamp(at now: UTCTime, _ rules: WakeRules) {
        if fullAt > now.microseconds { fullAt = now.microseconds + missing(at: now, rules) }
    }

    private func missing(at now: UTCTime, _ rules: WakeRules) -> Int64 {
        min(max(0, fullAt - now.microseconds), Int64(max(rules.burst, 1)) * rules.interval)
    }
}
