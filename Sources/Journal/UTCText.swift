import Glibc

/// Moments as people read them, always UTC.
enum UTCText {
    /// RFC 3339 with microseconds: `2026-11-21T03:26:52.000417Z`.
    static func timestamp(microseconds: Int64) -> String {
        guard let parts = parts(microseconds) else { return String(microseconds) }
        let fraction = microseconds - floorSeconds(microseconds) * 1_000_000
        return "\(date(parts, "-"))T\(time(parts, ":")).\(padded(fraction, 6))Z"
    }

    /// For a file's name, to the second: `20261121T032652Z`.
    static func fileName(microseconds: Int64) -> String {
        guard let parts = parts(microseconds) else { return String(microseconds) }
        return "\(date(parts, ""))T\(time(parts, ""))Z"
    }

    private static func floorSeconds(_ microseconds: Int64) -> Int64 {
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// gmtime_r(3); nil for a year that does not fit.
    private static func parts(_ microseconds: Int64) -> tm? {
        var seconds = time_t(floorSeconds(microseconds))
        var parts = tm()
        return gmtime_r(&seconds, &parts) == nil ? nil : parts
    }

    private static func date(_ parts: tm, _ separator: String) -> String {
        [padded(Int64(parts.tm_year) + 1900, 4), padded(Int64(parts.tm_mon) + 1, 2), padded(Int64(parts.tm_mday), 2)]
            .joined(separator: separator)
    }

    private static func time(_ parts: tm, _ separator: String) -> String {
        [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int64($0), 2) }.joined(separator: separator)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
