/// One of the moments at which a reduced position may change: every 20 minutes of the wall clock, from 00:00 UTC.
public struct ReducedTick: Comparable, Hashable, Sendable {
    /// Seconds from one tick to the next.
    public static let interval: Int64 = 1_200
    private static let microseconds = interval * 1_000_000
    /// Ticks that a `UTCTime` can tell, 266,000 years either way.
    private static let range: ClosedRange<Int64> = -7_000_000_000...7_000_000_000

    /// Which tick, counted from 1970-01-01T00:00:00Z.
    public let number: Int64

    /// The tick with this number, or the nearest that can be told.
    public init(number: Int64) {
        self.number = max(Self.range.lowerBound, min(number, Self.range.upperBound))
    }

    /// The last tick at or before a moment.
    public init(at time: UTCTime) {
        let quotient = time.microseconds / Self.microseconds
        self.init(number: time.microseconds % Self.microseconds < 0 ? quotient - 1 : quotient)
    }

    /// When it is.
    public var time: UTCTime { UTCTime(microseconds: number * Self.microseconds) }

    /// The one after it.
    public var next: ReducedTick { ReducedTick(number: number + 1) }

    /// Whether one tick is before another.
    public static func < (left: ReducedTick, right: ReducedTick) -> Bool { left.number < right.number }
}
