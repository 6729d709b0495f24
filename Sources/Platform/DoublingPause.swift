/// How long to pause between attempts: twice as long after each, up to a longest.
///
/// From 1 s up to 60 s:
///
/// | attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 and later |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | pause (s) | 1 | 2 | 4 | 8 | 16 | 32 | 60 |
public struct DoublingPause: Equatable, Sendable {
    private let first: Duration
    private let longest: Duration
    private var upcoming: Duration

    /// Pauses from the first on, none above the longest.
    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
        upcoming = min(first, longest)
    }

    /// The pause before the next attempt.
    public mutating func next() -> Duration {
        defer { upcoming = min(upcoming * 2, longest) }
        return upcoming
    }

    /// The same, shortened by up to a half by chance: many that lost the same daemon do not come back at once.
    public mutating func nextAtRandom() -> Duration { next() * Double.random(in: 0.5...1) }

    /// Begins again with the first.
    public mutating func reset() { upcoming = min(first, longest) }
}
