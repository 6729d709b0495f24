/// A time in which the kernel does not answer: it is asked again soon, and what was told holds for a while.
///
/// | answers missing in a row | 1 | 2 | 3 | 4 | 5 | 6 | 7 and more |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | asked again after (s) | 0.1 | 0.2 | 0.4 | 0.8 | 1.6 | 3.2 | 6.4 |
struct UnansweredSpell: Sendable {
    /// How long what was told holds without an answer.
    static let patience: UInt64 = 2_000_000_000

    /// When the kernel is to be asked again; nil where it has answered.
    private(set) var retryAt: UInt64?
    private var since: UInt64?
    private var misses = 0

    /// The kernel has answered everything.
    mutating func answered() { self = UnansweredSpell() }

    /// The kernel has not answered something.
    mutating func missed(at now: UInt64) {
        since = since ?? now
        retryAt = now + 100_000_000 << UInt64(min(misses, 6))
        misses += 1
    }

    /// Whether it has lasted so long that nothing can be said any more.
    func isLong(at now: UInt64) -> Bool {
        since.map { now >= $0 && now - $0 >= Self.patience } ?? false
    }
}
