/// How long to pause between attempts: twice as long after each, up to a longest.
///
/// | attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 and later |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | pause (s) | 1 | 2 | 4 | 8 | 16 | 32 | 60 |
struct Backoff: Equatable {
    let first: Duration
    let longest: Duration
    private var upcoming: Duration

    init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
        upcoming = min(first, longest)
    }

    /// The pause before the next attempt.
    mutating func next() -> Duration {
        defer { upcoming = min(upcoming * 2, longest) }
        return upcoming
    }
}
