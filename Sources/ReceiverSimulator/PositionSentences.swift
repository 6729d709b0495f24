import Location

/// Sentences that report a position, a movement or a time. Each is a function of an observation.
extension Sentence {
    /// Recommended minimum: time, position, speed, course, date.
    static func rmc(_ observation: Observation, _ dialect: Dialect) -> Sentence {
        let hasPosition = observation.solution.hasPosition
        return Sentence(
            dialect.talker + "RMC",
            [clock(observation), hasPosition ? "A" : "V"] + position(observation) + [
                hasPosition ? Decimal.text(observation.speed / metersASecondPerKnot, fraction: 3) : "",
                course(observation), date(observation), "", "", mode(observation),
            ] + (dialect.isExtended ? ["V"] : []))
    }

    /// Fix data: position, quality, satellites, altitude.
    static func gga(_ observation: Observation, _ dialect: Dialect) -> Sentence {
        let isThreeDimensional = observation.solution == .threeDimensional
        let hasPosition = observation.solution.hasPosition
        let isCorrected = hasPosition && [.differential, .rtkFixed, .rtkFloat].contains(observation.quality)
        return Sentence(
            dialect.talker + "GGA",
            [clock(observation)] + position(observation) + [
                String(hasPosition ? observation.quality.rawValue : 0),
                Decimal.padded(min(99, observation.usedCount), to: 2),
                Decimal.text(observation.dilution.horizontal, fraction: 2),
                isThreeDimensional ? Decimal.text(observation.altitude, fraction: 1) : "", "M",
                hasPosition ? Decimal.text(observation.geoidSeparation, fraction: 1) : "", "M",
                isCorrected ? "1.0" : "", isCorrected ? "0120" : "",
            ])
    }

    /// Position and time.
    static func gll(_ observation: Observation, _ dialect: Dialect) -> Sentence {
        Sentence(
            dialect.talker + "GLL",
            position(observation) + [
                clock(observation), observation.solution.hasPosition ? "A" : "V", mode(observation),
            ])
    }

    /// Course and speed over ground, in knots and in kilometres per hour.
    static func vtg(_ observation: Observation, _ dialect: Dialect) -> Sentence {
        let hasPosition = observation.solution.hasPosition
        return Sentence(
            dialect.talker + "VTG",
            [
                course(observation), "T", "", "M",
                hasPosition ? Decimal.text(observation.speed / metersASecondPerKnot, fraction: 3) : "", "N",
                hasPosition ? Decimal.text(observation.speed * 3.6, fraction: 3) : "", "K", mode(observation),
            ])
    }

    /// The true heading of a compass, in degrees. gpsd 3.22 reports it with this talker and not with HE, a gyrocompass's.
    static func hdt(_ heading: Double) -> Sentence {
        let rounded = (heading * 10).rounded() / 10
        return Sentence("HCHDT", [Decimal.text(rounded < 360 ? rounded : 0, fraction: 1), "T"])
    }

    /// Error estimates: standard deviations of the ranges, of the ellipse and of each axis, in metres and degrees.
    static func gst(_ observation: Observation, _ dialect: Dialect) -> Sentence {
        guard observation.solution.hasPosition else {
            return Sentence(dialect.talker + "GST", [clock(observation)] + [String](repeating: "", count: 7))
        }
        let errors = observation.errors
        let isNorthern = errors.north >= errors.east
        let numbers = [
            errors.range, max(errors.north, errors.east), min(errors.north, errors.east), isNorthern ? 0 : 90,
            errors.north, errors.east, errors.up,
        ]
        return Sentence(
            dialect.talker + "GST", [clock(observation)] + numbers.map { Decimal.text($0, fraction: 2) })
    }

    /// Time and date with a four-digit year.
    static func zda(_ observation: Observation, _ dialect: Dialect) -> Sentence {
        guard observation.solution != .nothing else {
            return Sentence(dialect.talker + "ZDA", ["", "", "", "", "", ""])
        }
        let civil = CivilTime(observation.time)
        return Sentence(
            dialect.talker + "ZDA",
            [
                clock(observation), Decimal.padded(civil.day, to: 2), Decimal.padded(civil.month, to: 2),
                Decimal.padded(civil.year, to: 4), "00", "00",
            ])
    }

    private static let metersASecondPerKnot = 1852.0 / 3600

    private static func clock(_ observation: Observation) -> String {
        guard observation.solution != .nothing else { return "" }
        return CivilTime(observation.time).clock(fraction: 2, separator: "")
    }

    private static func date(_ observation: Observation) -> String {
        guard observation.solution != .nothing else { return "" }
        let civil = CivilTime(observation.time)
        return [civil.day, civil.month, civil.year % 100].map { Decimal.padded($0, to: 2) }.joined()
    }

    private static func course(_ observation: Observation) -> String {
        guard observation.solution.hasPosition, let course = observation.course else { return "" }
        return Decimal.text(course, fraction: 2)
    }

    private static func mode(_ observation: Observation) -> String {
        observation.solution.hasPosition ? observation.quality.modeIndicator : "N"
    }

    private static func position(_ observation: Observation) -> [String] {
        guard observation.solution.hasPosition else { return ["", "", "", ""] }
        return [
            degreesAndMinutes(observation.latitude, digits: 2), observation.latitude < 0 ? "S" : "N",
            degreesAndMinutes(observation.longitude, digits: 3), observation.longitude < 0 ? "W" : "E",
        ]
    }

    /// Degrees and minutes in one number, the format of NMEA 0183: 47.58 with two digits is `4734.80000`.
    static func degreesAndMinutes(_ degrees: Double, digits: Int) -> String {
        // Counted in hundred thousandths of a minute, so that 59.999999 minutes become a whole degree.
        let units = Int((abs(degrees) * 6_000_000).rounded())
        let minutes = Double(units % 6_000_000) / 100_000
        return Decimal.padded(units / 6_000_000, to: digits) + Decimal.text(minutes, fraction: 5, integer: 2)
    }
}
