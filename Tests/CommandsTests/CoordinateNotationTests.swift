import CommandLineKit
import Location
import Testing

@testable import Commands

@Suite struct CoordinateNotationTests {
    @Test(arguments: [
        (48.137, SexagesimalAngle.Precision.seconds(1), "48°08'13.2\"N"), (-0.5, .seconds(0), "0°30'00\"S"),
        (0.999_999_9, .seconds(1), "1°00'00.0\"N"), (59.999_86, .seconds(0), "59°59'59\"N"),
        (59.999_87, .seconds(0), "60°00'00\"N"), (12.016_665, .seconds(2), "12°00'59.99\"N"),
        (12.016_665_5, .seconds(1), "12°01'00.0\"N"), (12.999_9, .minutes, "13°00'N"),
        (-89.999_999_99, .seconds(3), "90°00'00.000\"S"), (-0.000_000_01, .seconds(3), "0°00'00.000\"N"),
        (7.000_000_3, .seconds(3), "7°00'00.001\"N"), (-33.5, .minutes, "33°30'S"),
    ])
    func `an angle is rounded once, and never to 60`(
        _ degrees: Double, _ precision: SexagesimalAngle.Precision, _ text: String
    ) {
        #expect(SexagesimalAngle(latitude: degrees).text(precision) == text)
    }

    @Test(arguments: [
        (0.5, "47°34'48.076\"N, 21°07'12.385\"E", "34T ET 09031 69630"),
        (9.7, "47°34'48.08\"N, 21°07'12.38\"E", "34T ET 09031 69630"),
        (97, "47°34'48.1\"N, 21°07'12.4\"E", "34T ET 09031 69630"), (970, "47°34'48\"N, 21°07'12\"E", ""),
        (30_000, "47°35'N, 21°07'E", ""),
    ])
    func `a place has the digits that its accuracy justifies`(_ accuracy: Double, _ dms: String, _ mgrs: String) throws
    {
        let place = try makePosition().coordinate
        #expect(CoordinateNotation.dms.text(place, within: accuracy, in: .utf8) == dms)
        if !mgrs.isEmpty { #expect(CoordinateNotation.mgrs.text(place, within: accuracy, in: .utf8) == mgrs) }
    }

    @Test(arguments: CoordinateNotation.allCases, [33, 40, 42, 53, 65, 66, 71, 79, 80, 87, 120, 200])
    func `positions fit the terminal, below their header`(_ notation: CoordinateNotation, _ width: Int) throws {
        var preferences = Preferences()
        preferences.coordinates = notation
        let text = PositionText(Terminal(isTerminal: true, width: width), preferences)
        var position = try makePosition(latitude: -79.9999999, longitude: -179.9999999)
        position.horizontalAccuracy = 0.02
        position.course = 337
        position.accuracy = .reduced
        position.quality = .deadReckoning
        #expect(text.header.displayWidth <= width)
        let lines = text.line(position).split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        #expect(lines[0].displayWidth >= text.header.displayWidth)
        #expect(text.header.contains(notation == .mgrs ? "MGRS" : "LATITUDE"))
        #expect(lines.joined(separator: " ").contains("simulated, reduced accuracy"))
    }

    @Test func `the full text has the notation`() throws {
        var preferences = Preferences()
        preferences.coordinates = .mgrs
        let plain = Terminal(isTerminal: false)
        let position = try makePosition()
        #expect(PositionText(plain, preferences).details(position).contains("MGRS         34T ET 09031 69630"))
        preferences.coordinates = .dms
        let lines = PositionText(plain, preferences).details(position)
        #expect(lines.contains("Latitude     47°34'48.08\"N") && lines.contains("Longitude    21°07'12.38\"E"))
        let ascii = PositionText(Terminal(isTerminal: false, encoding: .ascii), preferences)
        #expect(ascii.details(position).contains("Latitude     47d34'48.08\"N"))
        #expect(ascii.line(position).contains("47d34'48.08\"N"))
    }
}
