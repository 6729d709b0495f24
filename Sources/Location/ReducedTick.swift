/// A time at which a reduced position may change: every 20 minutes of the wall clock, from 00:00 UTC.
public struct ReducedTick: Comparable, Hashable, Sendable {
    /// Seconds between two ticks.
    public static let interval: Int64 = 1_200
    private static let microseconds = interval * 1_000_000
    /// The ticks that a `UTCTime` can represent, 266,000 years in both directions.
    private static let range: ClosedRange<Int64> = -7_000_000_000...7_000_000_000

    /// The number of the tick, counted from 1970-01-01T00:00:00Z.
    public let number: Int64

    /// The tick with this number, or the nearest one that can be represented.
    public init(number: Int64) {
        self.number = max(Self.range.lowerBound, min(number, Self.range.upperBound))
    }

    /// The last tick at or before a time.
    public init(at time: UTCTime) {
        let quotient = time.microseconds / Self.microseconds
        self.init(number: time.microseconds % Self.microseconds < 0 ? quotient - 1 : quotient)
    }

    /// The time of the tick.
    public var time: UTCTime { UTCTime(microseconds: number * Self.microseconds) }

    /// The following tick.
    public var next: ReducedTick { ReducedTick(number: number + 1) }

    /// Whether one tick is before another.
    public static func < (left: ReducedTick, right: ReducedTick) -> Bool { left.number < right.number }
}
