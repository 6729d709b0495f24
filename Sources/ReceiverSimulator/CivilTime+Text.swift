import Location

extension CivilTime {
    /// Parses a time such as `2026-06-01T08:00:00Z` or `2026-06-01T08:00:00.25Z`; nil for any other form, and for a day
    /// or time that does not exist between the years 1970 and 9999.
    init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 27, bytes.last == UInt8(ascii: "Z") else { return nil }
        for (index, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] {
            guard bytes[index] == separator.utf8.first else { return nil }
        }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        var fraction: Int64 = 0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."), bytes.count > 21, let digits = number(20..<bytes.count - 1) else {
                return nil
            }
            fraction = Int64(digits)
            for _ in (bytes.count - 21)..<6 { fraction *= 10 }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            year >= 1970, hour < 24, minute < 60, second < 60
        else { return nil }
        self.init(
            year: year, month: month, day: day,
            microsecondsOfDay: Int64((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction)
        // A day that does not exist is converted to a different one.
        guard (1...12).contains(month), CivilTime(time) == self else { return nil }
    }

    /// The time of day with this number of decimals, truncated: 23:59:59.999 must not become 24:00.
    func clock(fraction: Int, separator: String) -> String {
        let seconds = Int(microsecondsOfDay / 1_000_000)
        let digits = Decimal.padded(Int(microsecondsOfDay % 1_000_000), to: 6).prefix(fraction)
        let whole = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Decimal.padded($0, to: 2) }
        return whole.joined(separator: separator) + (fraction > 0 ? "." + digits : "")
    }
}
