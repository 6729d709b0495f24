import Glibc

/// A moment in Coordinated Universal Time, in whole microseconds since 1970-01-01T00:00:00Z.
public struct UTCTime: Comparable, Hashable, Sendable {
    /// Microseconds since the epoch.
    public let microseconds: Int64

    /// A moment so many microseconds after the epoch.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// A moment so many seconds after the epoch, rounded to the microsecond; nil where that cannot be represented.
    public init?(secondsSinceEpoch seconds: Double) {
        guard let microseconds = Int64(exactly: (seconds * 1_000_000).rounded()) else { return nil }
        self.microseconds = microseconds
    }

    /// Seconds since the epoch: exact to the microsecond for any date this century.
    public var secondsSinceEpoch: Double { Double(microseconds) / 1_000_000 }

    /// The seconds from another moment to this one; negative where this one is earlier.
    public func seconds(since other: UTCTime) -> Double {
        Double(microseconds - other.microseconds) / 1_000_000
    }

    /// Whether one moment is before another.
    public static func < (left: UTCTime, right: UTCTime) -> Bool { left.microseconds < right.microseconds }
}
