import Glibc

/// A time in Coordinated Universal Time, in whole microseconds since 1970-01-01T00:00:00Z.
public struct UTCTime: Comparable, Hashable, Sendable {
    /// Microseconds since the epoch.
    public let microseconds: Int64

    /// The time this many microseconds after the epoch.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The time this many seconds after the epoch, rounded to the microsecond; nil if it cannot be represented.
    public init?(secondsSinceEpoch seconds: Double) {
        guard let microseconds = Int64(exactly: (seconds * 1_000_000).rounded()) else { return nil }
        self.microseconds = microseconds
    }

    /// Seconds since the epoch: exact to the microsecond for any date this century.
    public var secondsSinceEpoch: Double { Double(microseconds) / 1_000_000 }

    /// The seconds from another time to this one; negative if this one is earlier.
    public func seconds(since other: UTCTime) -> Double {
        Double(microseconds - other.microseconds) / 1_000_000
    }

    /// Whether one time is before another.
    public static func < (left: UTCTime, right: UTCTime) -> Bool { left.microseconds < right.microseconds }
}
