import Location

/// Numbers with their units, for people.
enum Measure {
    /// Seconds since something, such as `0.4 s`, `12 s`, `5 min`, `2 h 5 min` or `3 days`.
    static func age(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e12 else { return "unknown" }
        let whole = Int(max(0, seconds))
        switch whole {
        case ..<10: return "\(max(0, seconds).fixed(1)) s"
        case ..<120: return "\(whole) s"
        case ..<7_200: return "\(whole / 60) min"
        case ..<172_800:
            return whole / 60 % 60 == 0 ? "\(whole / 3_600) h" : "\(whole / 3_600) h \(whole / 60 % 60) min"
        default: return "\(whole / 86_400) days"
        }
    }

    /// Metres, such as `3.1 m`, `48 m` or `1.2 km`.
    static func distance(_ meters: Double) -> String {
        switch meters {
        case ..<10: "\(meters.fixed(1)) m"
        case ..<1_000: "\(meters.fixed(0)) m"
        default: "\((meters / 1_000).fixed(1)) km"
        }
    }

    /// A value rounded to the decimal place of its accuracy's second digit: `519.3` within 4.2, `519` within 12, `520`
    /// within 140. It is rounded to a tenth if the accuracy is unknown, and never to less than a hundredth.
    static func rounded(_ value: Double, within accuracy: Double?) -> String {
        guard let accuracy, accuracy > 0, accuracy.isFinite else { return value.fixed(1) }
        switch accuracy {
        case 100...:
            // The decimal place of the accuracy's second digit.
            var step = 10.0
            while step * 100 <= accuracy { step *= 10 }
            return ((value / step).rounded() * step).fixed(0)
        case 10...: return value.fixed(0)
        case 1...: return value.fixed(1)
        default: return value.fixed(2)
        }
    }

    /// Degrees of latitude or longitude with the precision of the radius in metres: the last digit is at most a tenth
    /// of the radius, or the seventh after the point, a centimetre.
    ///
    /// | radius | digits | the last one is |
    /// | --- | --- | --- |
    /// | below 1 m | 7 | 0.01 m |
    /// | below 10 m | 6 | 0.1 m |
    /// | below 100 m | 5 | 1.1 m |
    /// | below 1 km | 4 | 11 m |
    /// | above | 3 | 111 m |
    static func degrees(_ degrees: Double, within radius: Double) -> String {
        switch radius {
        case ..<1: degrees.fixed(7)
        case ..<10: degrees.fixed(6)
        case ..<100: degrees.fixed(5)
        case ..<1_000: degrees.fixed(4)
        default: degrees.fixed(3)
        }
    }

    /// Bytes, such as `812 bytes`, `1.2 MB`.
    static func size(_ bytes: Int64) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: "\((Double(bytes) / 1e3).fixed(1)) kB"
        case ..<1_000_000_000: "\((Double(bytes) / 1e6).fixed(1)) MB"
        default: "\((Double(bytes) / 1e9).fixed(1)) GB"
        }
    }

    /// A number of things: `1 event`, `1,204 events`.
    static func count(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// A whole number with commas between thousands.
    static func grouped(_ number: some BinaryInteger) -> String {
        var digits = Array(String(number.magnitude))
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: position)
            position -= 3
        }
        return (number < 0 ? "-" : "") + String(digits)
    }
}
