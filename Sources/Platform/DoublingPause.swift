/// The pause between attempts: it doubles with each attempt, up to a limit.
///
/// For 1 s up to 60 s:
///
/// | attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 and later |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | pause (s) | 1 | 2 | 4 | 8 | 16 | 32 | 60 |
public struct DoublingPause: Equatable, Sendable {
    private let first: Duration
    private let longest: Duration
    private var upcoming: Duration

    /// Pauses that begin with the first one and never exceed the longest.
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

    /// The next pause, shortened at random by up to a half, so that many clients of one daemon do not reconnect at the
    /// same time.
    public mutating func nextAtRandom() -> Duration { next() * Double.random(in: 0.5...1) }

    /// Starts again with the first pause.
    public mutating func reset() { upcoming = min(first, longest) }
}
