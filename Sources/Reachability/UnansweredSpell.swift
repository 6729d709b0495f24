/// A period in which the kernel does not reply. It is queried again after a short delay, and the last report stays
/// valid for a while.
///
/// | replies missing in a row | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | queried again after (s) | 0.1 | 0.2 | 0.4 | 0.8 | 1.6 | 3.2 | 6.4 |
struct UnansweredSpell: Sendable {
    /// How long the last report stays valid without a reply, in nanoseconds.
    static let patience: UInt64 = 2_000_000_000

    /// When to query the kernel again; nil if it has replied.
    private(set) var retryAt: UInt64?
    private var since: UInt64?
    private var misses = 0

    /// The kernel has replied to every query.
    mutating func answered() { self = UnansweredSpell() }

    /// The kernel has not replied to a query.
    mutating func missed(at now: UInt64) {
        since = since ?? now
        retryAt = now + 100_000_000 << UInt64(min(misses, 6))
        misses += 1
    }

    /// Whether the period has lasted so long that the last report is no longer valid.
    func isLong(at now: UInt64) -> Bool {
        since.map { now >= $0 && now - $0 >= Self.patience } ?? false
    }
}
