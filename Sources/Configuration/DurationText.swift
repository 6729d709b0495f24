import Durations

/// Durations in the notation of systemd.time(7): `500ms`, `1min 30s`; a bare number is in seconds.
enum DurationText {
    /// Reads a number, or numbers each with a unit.
    static func parse(_ text: String) throws(ValueError) -> Duration {
        if let seconds = Int64(decimal: text) { return try duration(seconds, times: 1_000) }
        var rest = text[...]
        var sum = Duration.zero
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest[digits.endIndex...].drop { $0 == " " }
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest[name.endIndex...].drop { $0 == " " }
            guard !digits.isEmpty else { throw ValueError("is not a duration") }
            guard !name.isEmpty else { throw ValueError("is not a duration: \(digits) has no unit") }
            guard let unit = Duration.units.first(where: { $0.name == name }) else {
                throw ValueError("is not a duration: the units are ms, s, min, h and d")
            }
            guard let count = Int64(decimal: digits) else { throw ValueError("is too long a duration") }
            sum += try duration(count, times: unit.milliseconds)
            guard sum <= longest else { throw ValueError("is too long a duration") }
        } while !rest.isEmpty
        return sum
    }

    /// The shortest text of whole milliseconds, the largest units first.
    static func text(_ duration: Duration) -> String {
        duration.parts.map { "\($0.count)\($0.unit)" }.joined(separator: " ")
    }

    /// The limit of a duration, far below an overflow of sums: a thousand years.
    private static let longest = Duration.seconds(1_000 * 366 * 86_400)

    private static func duration(_ count: Int64, times milliseconds: Int64) throws(ValueError) -> Duration {
        let (product, overflow) = count.multipliedReportingOverflow(by: milliseconds)
        guard !overflow, .milliseconds(product) <= longest else { throw ValueError("is too long a duration") }
        return .milliseconds(product)
    }
}
