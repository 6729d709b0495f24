import Glibc
import Location

/// A time as people write it: date and time of day in UTC or in this machine's time zone.
struct ZonedTime: Equatable {
    /// The source of the offset.
    enum Zone {
        case utc
        case local
    }

    /// The date and time of the zone's clock, written as UTC: `2026-06-01T10:00:00Z`, with milliseconds where there are
    /// some.
    private let clock: String
    /// Seconds east of Greenwich.
    private let offset: Int

    /// The time so many seconds after the beginning of 1970; nil outside the years 0 to 9999. localtime_r(3).
    init?(_ secondsSinceEpoch: Double, in zone: Zone) {
        let years = 0...9_999
        guard let time = UTCTime(secondsSinceEpoch: secondsSinceEpoch), years.contains(CivilTime(time).year) else {
            return nil
        }
        var parts = tm()
        if case .local = zone {
            var seconds = time_t(time.secondsSinceEpoch.rounded(.down))
            guard localtime_r(&seconds, &parts) != nil else { return nil }
        }
        offset = Int(parts.tm_gmtoff)
        let shown = UTCTime(microseconds: time.microseconds + Int64(offset) * 1_000_000)
        let civil = CivilTime(shown)
        guard years.contains(civil.year) else { return nil }
        let hasMilliseconds = civil.microsecondsOfDay / 1_000 % 1_000 != 0
        clock = shown.iso8601(fraction: hasMilliseconds ? 3 : 0)
    }

    /// `2026-06-01`.
    var date: String { String(clock.prefix(10)) }

    /// `08:00:00`.
    var timeOfDay: String { String(clock.dropFirst(11).prefix(8)) }

    /// `2026-06-01T08:00:00Z` or `2026-06-01T10:00:00+02:00`, RFC 3339, with milliseconds where there are some.
    var iso8601: String {
        guard offset != 0 else { return clock }
        let minutes = abs(offset) / 60
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(clock.dropLast())\(offset < 0 ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))"
    }
}
