import Location

/// Moments as ISO 8601 and JSON have them.
enum TimeText {
    /// `2026-06-01T08:00:00Z`, RFC 3339, with milliseconds or microseconds where it has some.
    static func iso8601(_ seconds: Double) -> String {
        let time = moment(seconds)
        let civil = CivilTime(time)
        let second = civil.microsecondsOfDay / 1_000_000
        let fraction = civil.microsecondsOfDay % 1_000_000
        return String(unsafeUninitializedCapacity: 27) { text in
            var place = 0
            func add(_ number: Int64, _ width: Int, before sign: UInt8) {
                var rest = number
                for index in stride(from: place + width - 1, through: place, by: -1) {
                    text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                text[place + width] = sign
                place += width + 1
            }
            add(Int64(civil.year), 4, before: UInt8(ascii: "-"))
            add(Int64(civil.month), 2, before: UInt8(ascii: "-"))
            add(Int64(civil.day), 2, before: UInt8(ascii: "T"))
            add(second / 3_600, 2, before: UInt8(ascii: ":"))
            add(second / 60 % 60, 2, before: UInt8(ascii: ":"))
            add(second % 60, 2, before: fraction == 0 ? UInt8(ascii: "Z") : UInt8(ascii: "."))
            if fraction % 1_000 != 0 {
                add(fraction, 6, before: UInt8(ascii: "Z"))
            } else if fraction != 0 {
                add(fraction / 1_000, 3, before: UInt8(ascii: "Z"))
            }
            return place
        }
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
}
