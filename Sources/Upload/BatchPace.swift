/// How many positions are sent at once: more while answers are quick, half as many when they fail to come.
struct BatchPace: Equatable, Sendable {
    /// Answers within this time are quick.
    static let quick = Duration.seconds(2)
    private static let first = 16

    /// How many at once, now.
    private(set) var limit: Int
    /// How many at most: what was allowed, or less once that has turned out to be too much.
    private var ceiling: Int

    /// Whether it does not grow any more.
    var isSteady: Bool { limit == ceiling }

    /// A pace that begins low.
    init(most: Int) {
        ceiling = max(1, most)
        limit = min(Self.first, ceiling)
    }

    /// So many were acknowledged after this time.
    mutating func noteAnswer(count: Int, after time: Duration) {
        guard time <= Self.quick, count >= limit else { return }
        limit = min(limit * 2, ceiling)
    }

    /// So many were not answered in time.
    mutating func noteTimeout(count: Int) { limit = max(1, min(limit, count) / 2) }

    /// So many were too much for the destination.
    mutating func noteTooLarge(count: Int) {
        ceiling = max(1, count / 2)
        limit = min(limit, ceiling)
    }
}
