/// The pause before the next attempt to connect: exponential, with full jitter between the bounds.
///
/// | attempt | longest wait |
/// | ------- | ------------ |
/// | 1       | 200 ms       |
/// | 2       | 400 ms       |
/// | 3       | 800 ms       |
/// | 8       | 25.6 s       |
/// | 9 and more | 30 s      |
///
/// The pause is uniformly random between the shortest and the longest, so that clients of a restarted gpsd do not all
/// connect at once.
public struct Backoff: Equatable, Sendable {
    /// The shortest pause, in nanoseconds.
    public var shortest: UInt64
    /// The longest pause, in nanoseconds.
    public var longest: UInt64

    /// Pauses between these bounds in nanoseconds: 100 ms and 30 s by default.
    public init(shortest: UInt64 = 100_000_000, longest: UInt64 = 30_000_000_000) {
        self.shortest = shortest
        self.longest = max(shortest, longest)
    }

    /// The longest pause before this attempt in nanoseconds; the first attempt is 1.
    public func ceiling(attempt: Int) -> UInt64 {
        let doublings = UInt64(max(0, min(attempt, 40)))
        let (product, overflow) = shortest.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? longest : min(longest, product)
    }

    /// The pause before this attempt in nanoseconds, for a random number from 0 up to but not including 1.
    public func delay(attempt: Int, random: Double) -> UInt64 {
        let span = Double(ceiling(attempt: attempt) - shortest)
        return shortest + UInt64(span * min(1, max(0, random)))
    }
}
