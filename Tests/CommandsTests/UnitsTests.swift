import CommandLineKit
import Location
import Testing

@testable import Commands

/// The units of figures for people.
@Suite struct UnitsTests {
    @Test(
        arguments: [
            (Units.metric, 3.14, "3.1 m"), (.metric, 48, "48 m"), (.metric, 1_234, "1.2 km"),
            (.imperial, 1, "3.3 ft"), (.imperial, 9.7258, "32 ft"), (.imperial, 160, "525 ft"),
            (.imperial, 161, "0.1 mi"), (.imperial, 1_609.344, "1.0 mi"), (.imperial, 7_000, "4.3 mi"),
            (.nautical, 9.7258, "9.7 m"), (.nautical, 999, "999 m"), (.nautical, 1_852, "1.0 nmi"),
            (.nautical, 7_000, "3.8 nmi"),
        ])
    func `a distance`(_ units: Units, _ meters: Double, _ text: String) {
        #expect(units.distance(meters) == text)
    }

    @Test(
        arguments: [
            (Units.metric, "19.6 km/h", "19.60 km/h ± 0.72 km/h", "1.5 m/s"),
            (.imperial, "12.2 mph", "12.18 mph ± 0.45 mph", "4.9 ft/s"),
            (.nautical, "10.6 kn", "10.58 kn ± 0.39 kn", "1.5 m/s"),
        ])
    func `a speed`(_ units: Units, _ text: String, _ full: String, _ climb: String) {
        #expect(units.speed(5.445, within: nil) == text)
        #expect(units.speed(5.445, within: 0.2, showsAccuracy: true) == full)
        #expect(full.hasPrefix(units.speed(5.445, within: 0.2)), "rounded alike with and without its accuracy")
        #expect(units.climb(1.5) == climb)
    }

    @Test func `figures are rounded to an accuracy in the same unit`() {
        #expect(Units.metric.altitude(519.26, within: 4.2, showsAccuracy: true) == "519.3 m ± 4.2 m")
        #expect(Units.imperial.altitude(519.26, within: 4.2, showsAccuracy: true) == "1704 ft ± 14 ft")
        #expect(Units.imperial.altitude(519.26, within: 40) == "1700 ft")
        #expect(Units.nautical.speed(0.02, within: 40, showsAccuracy: true) == "0 kn ± 78 kn")
    }

    @Test(arguments: Units.allCases) func `a position has one system of units`(_ units: Units) throws {
        var preferences = Preferences()
        preferences.units = units
        let text = PositionText(Terminal(isTerminal: false), preferences)
        let position = try makePosition()
        let all = ([text.line(position)] + text.details(position)).joined(separator: "\n")
        let foreign: [String]
        switch units {
        case .metric: foreign = [" ft", " mph", " kn"]
        case .imperial: foreign = [" m", " km/h", " kn", " m/s"].map { $0 + " " }
        case .nautical: foreign = [" ft", " mph", " km/h"]
        }
        for unit in foreign { #expect(!all.contains(unit), "\(all)") }
        #expect(text.line(position).displayWidth < 100)
        #expect(
            text.line(position).displayWidth
                == PositionText(Terminal(isTerminal: false)).line(position).displayWidth)
    }
}
