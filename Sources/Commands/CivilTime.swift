import Glibc

/// A moment as people write it: date and time of day in UTC or in this machine's time zone.
struct CivilTime: Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
    var millisecond: Int
    /// Seconds east of Greenwich.
    var offset: Int

    /// Where the offset comes from.
    enum Zone {
        case utc
        case local
    }

    /// The moment so many seconds after 1970 began; nil where no calendar reaches it. gmtime_r(3), localtime_r(3).
    init?(_ secondsSinceEpoch: Double, in zone: Zone) {
        guard let milliseconds = Int64(exactly: (secondsSinceEpoch * 1_000).rounded(.down)) else { return nil }
        var seconds = time_t(milliseconds / 1_000)
        var rest = Int(milliseconds % 1_000)
        if rest < 0 {
            rest += 1_000
            seconds -= 1
        }
        var parts = tm()
        let isKnown =
            switch zone {
            case .utc: gmtime_r(&seconds, &parts) != nil
            case .local: localtime_r(&seconds, &parts) != nil
            }
        guard isKnown, (0...9_999).contains(parts.tm_year + 1_900) else { return nil }
        year = Int(parts.tm_year) + 1_900
        month = Int(parts.tm_mon) + 1
        day = Int(parts.tm_mday)
        hour = Int(parts.tm_hour)
        minute = Int(parts.tm_min)
        second = Int(parts.tm_sec)
        millisecond = rest
        offset = Int(parts.tm_gmtoff)
    }

    /// `2026-06-01`.
    var date: String { "\(Self.padded(year, 4))-\(Self.padded(month))-\(Self.padded(day))" }

    /// `08:00:00`.
    var timeOfDay: String { "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))" }

    /// `2026-06-01T08:00:00Z` or `2026-06-01T10:00:00+02:00`, RFC 3339, with milliseconds where there are some.
    var iso8601: String {
        let fraction = millisecond == 0 ? "" : "." + Self.padded(millisecond, 3)
        let minutes = abs(offset) / 60
        let zone =
            offset == 0 ? "Z" : "\(offset < 0 ? "-" : "+")\(Self.padded(minutes / 60)):\(Self.padded(minutes % 60))"
        return "\(date)T\(timeOfDay)\(fraction)\(zone)"
    }

    private static func padded(_ number: Int, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
