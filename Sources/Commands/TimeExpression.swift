import CommandLineKit
import Glibc

/// A time on a command line: `2h ago`, `-10min`, `today`, `2026-06-01T08:00:00Z`.
struct TimeExpression {
    /// The accepted forms, in words.
    static let expectation = "a time such as '2h ago', -10min, today, yesterday, now or 2026-06-01T08:00:00Z"

    /// The value of options with a time.
    static let value = Value(
        "TIME", .checked(expected: expectation) { parse($0, now: 2_000_000_000) != nil })

    /// The time in seconds since 1970; nil for an invalid text. `now` is the present, in the same seconds.
    static func parse(_ text: String, now: Double) -> Double? {
        let text = text.lowercased().trimmingSpaces
        switch text {
        case "now": return now
        case "today": return midnight(daysBefore: 0, now)
        case "yesterday": return midnight(daysBefore: 1, now)
        default: break
        }
        if text.hasSuffix(" ago") { return duration(String(text.dropLast(4))).map { now - $0 } }
        if text.hasPrefix("-") { return duration(String(text.dropFirst())).map { now - $0 } }
        if text.hasPrefix("@") { return Double(text.dropFirst()).flatMap { $0.isFinite ? $0 : nil } }
        return date(text) ?? duration(text).map { now - $0 }
    }

    /// Seconds of a text such as `90`, `90s`, `10min`, `1h30min` or `2 days`.
    static func duration(_ text: String) -> Double? {
        var rest = text.lowercased().trimmingSpaces[...]
        if let seconds = Double(rest), seconds.isFinite, seconds >= 0 { return seconds }
        var total = 0.0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            guard let number = Double(digits), let seconds = units[String(unit)] else { return nil }
            total += number * seconds
        }
        return total
    }

    private static let units: [String: Double] = [
        "s": 1, "sec": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "minute": 60, "minutes": 60, "h": 3_600,
        "hour": 3_600, "hours": 3_600, "d": 86_400, "day": 86_400, "days": 86_400, "w": 604_800, "week": 604_800,
        "weeks": 604_800,
    ]

    /// `YYYY-MM-DD`, with ` HH:MM[:SS[.fff]]` or the same after a `T`, and `Z` or an offset; local time without one.
    private static func date(_ text: String) -> Double? {
        let halves = text.split(omittingEmptySubsequences: false) { $0 == "t" || $0 == " " }.map(String.init)
        guard (1...2).contains(halves.count), halves[0].count == 10 else { return nil }
        let numbers = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var parts = tm()
        parts.tm_year = Int32(year - 1_900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = Int32(day)
        // The C library decides whether summer time was in force.
        parts.tm_isdst = -1
        var fraction = 0.0
        var offset: Int?
        if halves.count == 2 {
            guard let time = timeOfDay(halves[1]) else { return nil }
            parts.tm_hour = time.hour
            parts.tm_min = time.minute
            parts.tm_sec = time.second
            fraction = time.fraction
            offset = time.offset
        }
        let wanted = parts.tm_mday
        let seconds = offset == nil ? mktime(&parts) : timegm(&parts)
        // A day that the month lacks becomes one of the next month.
        guard parts.tm_mday == wanted else { return nil }
        return Double(seconds - (offset ?? 0)) + fraction
    }

    private static func timeOfDay(
        _ text: String
    ) -> (hour: Int32, minute: Int32, second: Int32, fraction: Double, offset: Int?)? {
        var clock = text
        var offset: Int?
        if clock.hasSuffix("z") {
            clock.removeLast()
            offset = 0
        } else if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let zone = clock[clock.index(after: sign)...].split(separator: ":").map { Int($0) }
            guard zone.count == 2, let hours = zone[0], let minutes = zone[1], (0...14).contains(hours),
                (0...59).contains(minutes)
            else { return nil }
            offset = (clock[sign] == "-" ? -1 : 1) * (hours * 3_600 + minutes * 60)
            clock = String(clock[..<sign])
        }
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = Int32(parts[0]), let minute = Int32(parts[1]),
            let second = parts.count == 3 ? Double(parts[2]) : 0, (0...23).contains(hour), (0...59).contains(minute),
            second >= 0, second < 61
        else { return nil }
        return (hour, minute, Int32(second), second - second.rounded(.down), offset)
    }

    private static func midnight(daysBefore days: Int32, _ now: Double) -> Double? {
        guard var seconds = time_t(exactly: now.rounded(.down)) else { return nil }
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        parts.tm_hour = 0
        parts.tm_min = 0
        parts.tm_sec = 0
        parts.tm_mday -= days
        parts.tm_isdst = -1
        return Double(mktime(&parts))
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
