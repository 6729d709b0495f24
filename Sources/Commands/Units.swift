import CommandLineKit

/// The units of distances, altitudes and speeds in texts for people. JSON and other formats for programs always have
/// metres and metres a second.
enum Units: String, CaseIterable {
    /// Metres and kilometres, km/h.
    case metric
    /// Feet and miles, miles an hour.
    case imperial
    /// Metres and nautical miles, knots. Altitudes and accuracies are in metres, as on charts.
    case nautical

    /// A unit: its name, and how many of it one metre, or one metre a second, is.
    private struct Unit {
        let name: String
        let factor: Double
    }

    private static let metersInAFoot = 0.3048
    private static let metersInAMile = 1_609.344
    private static let metersInANauticalMile = 1_852.0

    /// The option `--units` of commands that print positions or distances.
    static let option = Option(
        "units", Value("UNITS", .choice(allCases.map(\.rawValue))),
        "units of the text, else those of WAYMARK_UNITS or waymark-cli.conf(5), else metric; imperial has feet, miles"
            + " and mph, nautical has metres, nautical miles and knots")

    /// A distance, such as `3.1 m`, `1.2 km`, `48 ft`, `0.8 mi` or `1.2 nmi`.
    func distance(_ meters: Double) -> String {
        switch self {
        case .metric: return Measure.distance(meters)
        case .imperial:
            let feet = meters / Self.metersInAFoot
            // A tenth of a mile.
            if feet < 528 { return feet < 10 ? "\(feet.fixed(1)) ft" : "\(feet.fixed(0)) ft" }
            return "\((meters / Self.metersInAMile).fixed(1)) mi"
        case .nautical:
            guard meters >= 1_000 else { return Measure.distance(meters) }
            return "\((meters / Self.metersInANauticalMile).fixed(1)) nmi"
        }
    }

    /// An altitude in metres, rounded to its accuracy; with ± and the accuracy where `showsAccuracy`.
    func altitude(_ meters: Double, within accuracy: Double?, showsAccuracy: Bool = false) -> String {
        text(meters, within: accuracy, height, showsAccuracy)
    }

    /// A speed in metres a second, rounded to its accuracy; with ± and the accuracy where `showsAccuracy`.
    func speed(_ value: Double, within accuracy: Double?, showsAccuracy: Bool = false) -> String {
        text(value, within: accuracy, roadSpeed, showsAccuracy)
    }

    /// A vertical speed in metres a second.
    func climb(_ value: Double) -> String { "\((value * height.factor).fixed(1)) \(height.name)/s" }

    private var height: Unit {
        self == .imperial ? Unit(name: "ft", factor: 1 / Self.metersInAFoot) : Unit(name: "m", factor: 1)
    }

    private var roadSpeed: Unit {
        switch self {
        case .metric: Unit(name: "km/h", factor: 3.6)
        case .imperial: Unit(name: "mph", factor: 3_600 / Self.metersInAMile)
        case .nautical: Unit(name: "kn", factor: 3_600 / Self.metersInANauticalMile)
        }
    }

    private func text(_ value: Double, within accuracy: Double?, _ unit: Unit, _ showsAccuracy: Bool) -> String {
        let accuracy = accuracy.map { $0 * unit.factor }
        let text = "\(Measure.rounded(value * unit.factor, within: accuracy)) \(unit.name)"
        guard showsAccuracy, let accuracy else { return text }
        return "\(text) ± \(Measure.rounded(accuracy, within: accuracy)) \(unit.name)"
    }
}
