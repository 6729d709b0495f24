extension UTCTime {
    /// The time in the format `2026-06-01T08:00:00Z`, RFC 3339, with 0 to 6 digits of a second, truncated and not
    /// rounded. A year has four digits: a year outside that range is written as 0000 or 9999.
    public func iso8601(fraction digits: Int = 0) -> String {
        let civil = CivilTime(self)
        let second = civil.microsecondsOfDay / 1_000_000
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
            add(Int64(min(max(civil.year, 0), 9_999)), 4, before: UInt8(ascii: "-"))
            add(Int64(civil.month), 2, before: UInt8(ascii: "-"))
            add(Int64(civil.day), 2, before: UInt8(ascii: "T"))
            add(second / 3_600, 2, before: UInt8(ascii: ":"))
            add(second / 60 % 60, 2, before: UInt8(ascii: ":"))
            add(second % 60, 2, before: digits > 0 ? UInt8(ascii: ".") : UInt8(ascii: "Z"))
            guard digits > 0 else { return place }
            add(civil.microsecondsOfDay % 1_000_000, 6, before: UInt8(ascii: "Z"))
            guard digits < 6 else { return place }
            place += digits - 6
            text[place - 1] = UInt8(ascii: "Z")
            return place
        }
    }
}
