import Testing
import Waymark

/// What `print` shows of the library's values.
@Suite struct DescriptionTests {
    private func position() throws -> Position {
        Position(
            timestamp: 1_780_300_809, coordinate: try #require(Coordinate(latitude: 47.580021, longitude: -21.12)),
            horizontalAccuracy: 9.7258, altitude: 86.64, speed: 5.445, course: 76.72, isSimulated: true)
    }

    @Test func `a position prints its known values with units`() throws {
        var position = try position()
        #expect(
            "\(position)"
                == "47.5800210, -21.1200000 ± 9.7 m, altitude 86.6 m, speed 5.4 m/s, course 77°, 2026-06-01T08:00:09Z,"
                + " simulated")
        (position.altitude, position.speed, position.course, position.isSimulated) = (nil, nil, nil, false)
        position.accuracy = .reduced
        #expect("\(position)" == "47.5800210, -21.1200000 ± 9.7 m, 2026-06-01T08:00:09Z, reduced accuracy")
    }

    @Test func `an update prints its position, or why there is none`() throws {
        func update(_ position: Position?, _ diagnostics: [LocationDiagnostic]) -> LocationUpdate {
            LocationUpdate(
                position: position, authorizationStatus: .authorizedAlways, accuracyAuthorization: .full,
                diagnostics: diagnostics, stationary: false, dropped: 0)
        }
        #expect("\(update(nil, [.noFix]))" == "no position (noFix)")
        #expect("\(update(try position(), []))" == "\(try position())")
    }

    @Test func `the sky prints how many satellites are used`() {
        let used = Satellite(
            number: 12, constellation: .gps, elevation: 45, azimuth: 120.4, signalToNoise: 38, isUsed: true)
        #expect("\(used)" == "gps 12, elevation 45°, azimuth 120°, 38 dB-Hz, used")
        #expect("\(SkyView(satellites: [used]))" == "1 satellite, 1 of them used")
        #expect("\(SkyView())" == "0 satellites, 0 of them used")
    }
}
