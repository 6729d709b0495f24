/// The number of positions sent at once. It grows while responses arrive quickly and is halved when they time out.
struct BatchPace: Equatable, Sendable {
    /// A response within this time counts as quick.
    static let quick = Duration.seconds(2)
    private static let first = 16

    /// The current number of positions sent at once.
    private(set) var limit: Int
    /// The upper limit: the configured one, or a lower one after the destination has refused a request as too large.
    private var ceiling: Int

    /// Whether the limit has stopped growing.
    var isSteady: Bool { limit == ceiling }

    /// A pace that starts with a low limit.
    init(most: Int) {
        ceiling = max(1, most)
        limit = min(Self.first, ceiling)
    }

    /// Records that `count` positions were acknowledged after this time.
    mutating func noteAnswer(count: Int, after time: Duration) {
        guard time <= Self.quick, count >= limit else { return }
        limit = min(limit * 2, ceiling)
    }

    /// Records that `count` positions were not acknowledged in time.
    mutating func noteTimeout(count: Int) { limit = max(1, min(limit, count) / 2) }

    /// Records that `count` positions at once were too large for the destination.
    mutating func noteTooLarge(count: Int) {
        ceiling = max(1, count / 2)
        limit = min(limit, ceiling)
    }
}
