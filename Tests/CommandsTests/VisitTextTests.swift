import CommandLineKit
import Location
import Testing

@testable import Commands

@Suite struct VisitTextTests {
    private func visit(isSimulated: Bool = false) throws -> Visit {
        Visit(
            coordinate: try #require(Coordinate(latitude: 47.58, longitude: 21.12)), horizontalAccuracy: 12,
            arrival: UTCTime(microseconds: 1_780_300_800_000_000),
            departure: UTCTime(microseconds: 1_780_304_400_000_000),
            isSimulated: isSimulated)
    }

    @Test func `a visit is a line below the header`() throws {
        var text = VisitText(Terminal(isTerminal: false))
        let lines = text.lines(try visit(isSimulated: true))
        #expect(
            lines.first
                == "ARRIVAL              DEPARTURE             DURATION     LATITUDE     LONGITUDE   ACCURACY")
        #expect(lines.last?.hasSuffix("   60 min     47.58000      21.12000       12 m  simulated") == true, "\(lines)")
        #expect(text.lines(try visit()).count == 1)
    }

    @Test func `the units and the notation are those of the user`() throws {
        var preferences = Preferences()
        preferences.units = .imperial
        preferences.coordinates = .mgrs
        var text = VisitText(Terminal(isTerminal: false), preferences)
        let lines = text.lines(try visit())
        #expect(lines.first?.contains("MGRS") == true && lines.first?.contains("LATITUDE") == false)
        #expect(lines.last?.hasSuffix("    39 ft") == true && lines.last?.contains("34T ET") == true, "\(lines)")
    }

    @Test(arguments: [28, 40, 50, 60, 70, 80, 100])
    func `no line is wider than the terminal`(width: Int) throws {
        var text = VisitText(Terminal(isTerminal: true, size: (width, 24)) { _ in nil })
        let lines = text.lines(try visit(isSimulated: true))
        #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        #expect(lines.contains { $0.contains("47.58000") } && lines.last?.contains("simulated") == true)
    }
}
