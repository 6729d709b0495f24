import Location

/// An HTTP date in any of its three forms (RFC 9110 section 5.6.7).
enum HTTPDate {
    /// The time that a text states; nil if the text is no HTTP date. The weekday is not checked.
    static func parse(_ text: String) -> UTCTime? {
        var parts = text.split { $0 == " " || $0 == "," }.map(String.init)
        guard parts.count >= 4, parts.removeFirst().allSatisfy(\.isLetter) else { return nil }
        if parts.last == "GMT" { parts.removeLast() }
        switch parts.count {
        case 2:
            // Sunday, 06-Nov-94 08:49:37 GMT
            let date = parts[0].split(separator: "-").map(String.init)
            guard date.count == 3, let year = number(date[2], digits: 2...2) else { return nil }
            // RFC 9110: a two-digit year is at most fifty years in the future. This implementation assumes a current
            // year near 2026.
            return timestamp(date[0], date[1], year + (year < 76 ? 2_000 : 1_900), parts[1])
        case 4 where parts[0].first?.isLetter == true:
            // Sun Nov  6 08:49:37 1994
            guard let year = number(parts[3], digits: 4...4) else { return nil }
            return timestamp(parts[1], parts[0], year, parts[2])
        case 4:
            // Sun, 06 Nov 1994 08:49:37 GMT
            guard let year = number(parts[2], digits: 4...4) else { return nil }
            return timestamp(parts[0], parts[1], year, parts[3])
        default: return nil
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func timestamp(_ day: String, _ month: String, _ year: Int, _ clock: String) -> UTCTime? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard let month = months.firstIndex(of: month), let day = number(day, digits: 1...2), parts.count == 3,
            let hour = number(parts[0], digits: 2...2), let minute = number(parts[1], digits: 2...2),
            let second = number(parts[2], digits: 2...2), hour < 24, minute < 60, second <= 60
        else { return nil }
        let civil = CivilTime(
            year: year, month: month + 1, day: day,
            microsecondsOfDay: Int64((hour * 60 + minute) * 60 + min(second, 59)) * 1_000_000)
        // A day that does not exist is normalized to another one.
        return CivilTime(civil.time) == civil ? civil.time : nil
    }

    private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension HTTPAnswer {
    /// The wait that `Retry-After` requests (RFC 9110 section 10.2.3). A date is compared with the `Date` of the same
    /// response, because either clock may be wrong, and with the local clock if the response has no `Date`.
    func retryAfter(at now: UTCTime) -> Duration? {
        guard let text = header("Retry-After") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number of seconds that does not fit into the type exceeds every wait this program makes.
            return .seconds(Int64(text) ?? Int64(Int32.max))
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        let reference = header("Date").flatMap(HTTPDate.parse) ?? now
        return .seconds(max(0, Int64(date.seconds(since: reference).rounded(.up))))
    }
}
