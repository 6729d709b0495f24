import Location

/// Moments as ISO 8601 and JSON have them.
enum TimeText {
    /// `2026-06-01T08:00:00Z`, RFC 3339, with milliseconds or microseconds where it has some.
    static func iso8601(_ seconds: Double) -> String {
        let time = moment(seconds)
        let civil = CivilTime(time)
        let second = civil.microsecondsOfDay / 1_000_000
        let fraction = civil.microsecondsOfDay % 1_000_000
        let date = "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))"
        let clock = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        let rest =
            fraction == 0 ? "" : fraction % 1_000 == 0 ? ".\(padded(fraction / 1_000, 3))" : ".\(padded(fraction, 6))"
        return "\(date)T\(clock)\(rest)Z"
    }

    /// Whole seconds since 1970, those that have passed.
    static func wholeSeconds(_ seconds: Double) -> Int64 {
        Int64((Double(moment(seconds).microseconds) / 1_000_000).rounded(.down))
    }

    /// The moment to the microsecond, held to the years 0 to 9999, which four digits can tell. What is no number is 1970.
    private static func moment(_ seconds: Double) -> UTCTime {
        guard seconds.isFinite else { return UTCTime(microseconds: 0) }
        return UTCTime(secondsSinceEpoch: max(-62_167_219_200, min(seconds, 253_402_300_799)))
            ?? UTCTime(microseconds: 0)
    }

    private static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
