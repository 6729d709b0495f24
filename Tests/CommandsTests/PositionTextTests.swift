import CommandLineKit
import Location
import Testing

@testable import Commands

/// A position for tests, at an uninhabited place.
func makePosition(
    latitude: Double = 47.580021, longitude: Double = 21.120106833, timestamp: Double = 1_780_300_809
) throws -> Position {
    Position(
        timestamp: timestamp, coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)),
        horizontalAccuracy: 9.7258, altitude: 86.6, ellipsoidalAltitude: 128.2, verticalAccuracy: 14.47, speed: 5.445,
        course: 76.72, climb: 0, isSimulated: true, quality: .ordinary)
}

@Suite struct PositionTextTests {
    private let plain = Terminal(isTerminal: false)

    @Test func `a position fits on a line, below its head`() throws {
        let text = PositionText(plain)
        let line = text.line(try makePosition())
        #expect(
            text.header == "    TIME     LATITUDE     LONGITUDE  ACCURACY  ALTITUDE       SPEED   COURSE")
        #expect(line.hasSuffix("    47.580021     21.120107     9.7 m      87 m   19.6 km/h    77° E  simulated"))
        #expect(line.displayWidth < 100)
    }

    @Test func `unknown values are omitted`() throws {
        var position = try makePosition(latitude: -89.999999, longitude: -179.999999)
        position.altitude = nil
        position.speed = nil
        position.course = nil
        position.isSimulated = false
        position.accuracy = .reduced
        position.quality = .rtkFixed
        let text = PositionText(plain)
        let end = "   -89.999999   -179.999999     9.7 m         –           –        –  reduced accuracy, RTK fixed"
        #expect(text.line(position).hasSuffix(end))
        #expect(!text.details(position).contains { $0.hasPrefix("Speed") })
    }

    @Test(arguments: [33, 40, 42, 53, 65, 66, 70, 71, 79, 80, 86, 87, 120]) func `a line fits the terminal`(
        _ width: Int
    ) throws {
        let text = PositionText(Terminal(isTerminal: true, width: width))
        var position = try makePosition(latitude: -89.9999999, longitude: -179.9999999)
        position.horizontalAccuracy = 0.02
        position.course = 337
        #expect(text.header.displayWidth <= width)
        #expect(text.line(position).split(separator: "\n").allSatisfy { String($0).displayWidth <= width })
        #expect(text.header.contains("ALTITUDE") == (width >= 80))
    }

    @Test func `colours appear on a terminal that supports them`() throws {
        let text = PositionText(Terminal(isTerminal: true, hasColor: true))
        #expect(text.line(try makePosition()).contains("\u{1B}[32m   9.7 m\u{1B}[0m"))
    }

    @Test(arguments: [(0, "N"), (22, "N"), (23, "NE"), (180, "S"), (337, "NW"), (338, "N"), (359.9, "N")])
    func `a course has the nearest of eight names`(_ degrees: Double, name: String) {
        #expect(PositionText.compass(degrees) == name)
    }

    @Test func `one position is printed in the requested form`() throws {
        let position = try makePosition()
        #expect(GetCommand.lines(position, .decimal, plain) == ["47.5800210,21.1201068"])
        #expect(GetCommand.lines(position, .geo, plain) == ["geo:47.5800210,21.1201068,128.2;u=9.7"])
        #expect(GetCommand.lines(position, .dms, plain) == ["47°34'48.1\"N 21°07'12.4\"E"])
        let south = try makePosition(latitude: -33.99999999, longitude: -0.5)
        #expect(GetCommand.lines(south, .dms, plain) == ["34°00'00.0\"S 0°30'00.0\"W"])
        #expect(GetCommand.lines(position, .text, plain).contains("Altitude     87 m ± 14 m"))
    }

    @Test func `figures are as exact as their accuracy`() throws {
        var position = try makePosition()
        position.speed = 0.012
        position.speedAccuracy = 143.5
        position.courseAccuracy = 12.345_678
        let lines = PositionText(plain).details(position)
        #expect(lines.contains("Speed        0 km/h ± 520 km/h"))
        #expect(lines.contains("Course       77° ± 12°, E"))
        #expect(lines.contains("Latitude     47.580021°"))
        position.horizontalAccuracy = 7_000
        #expect(PositionText(plain).details(position).contains("Latitude     47.580°"))
    }

    @Test(arguments: [
        (519.345, 4.2, "519.3"), (519.345, 12, "519"), (519.345, 143.5, "520"), (1_234, 1_435, "1200"),
        (0.5351, 0.2, "0.54"), (519.345, nil, "519.3"), (519.345, 0, "519.3"),
    ])
    func `a figure has the decimals that its accuracy justifies`(value: Double, accuracy: Double?, text: String) {
        #expect(Measure.rounded(value, within: accuracy) == text)
    }

    @Test func `in a locale without Unicode nothing but ASCII is printed`() throws {
        let terminal = Terminal(isTerminal: false, encoding: .ascii)
        let position = try makePosition()
        #expect(GetCommand.lines(position, .dms, terminal) == ["47d34'48.1\"N 21d07'12.4\"E"])
        #expect(PositionText(terminal).line(position).contains("    77 E"))
        #expect(PositionText(terminal).details(position).contains("Altitude     87 m +- 14 m"))
    }
}
