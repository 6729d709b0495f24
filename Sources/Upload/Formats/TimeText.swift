import Location

/// Times as ISO 8601 text and as JSON numbers.
enum TimeText {
    /// `2026-06-01T08:00:00Z` (RFC 3339), with milliseconds or microseconds if the time has a fraction.
    static func iso8601(_ seconds: Double) -> String {
        let time = timestamp(seconds)
        let fraction = time.microseconds % 1_000_000
        return time.iso8601(fraction: fraction == 0 ? 0 : fraction % 1_000 == 0 ? 3 : 6)
    }

    /// The same in whole seconds, rounded down.
    static func wholeISO8601(_ seconds: Double) -> String {
        UTCTime(microseconds: wholeSeconds(seconds) * 1_000_000).iso8601()
    }

    /// Whole milliseconds since 1970, rounded down.
    static func wholeMilliseconds(_ seconds: Double) -> Int64 {
        Int64((Double(timestamp(seconds).microseconds) / 1_000).rounded(.down))
    }

    /// Whole seconds since 1970, rounded down.
    static func wholeSeconds(_ seconds: Double) -> Int64 {
        Int64((Double(timestamp(seconds).microseconds) / 1_000_000).rounded(.down))
    }

    /// The time to the microsecond, clamped to the years 0 to 9999, which have four digits. A value that is not a
    /// number becomes 1970.
    private static func timestamp(_ seconds: Double) -> UTCTime {
        guard seconds.isFinite else { return UTCTime(microseconds: 0) }
        return UTCTime(secondsSinceEpoch: max(-62_167_219_200, min(seconds, 253_402_300_799)))
            ?? UTCTime(microseconds: 0)
    }
}
