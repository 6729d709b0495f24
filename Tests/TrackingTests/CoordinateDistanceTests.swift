import Location
import Testing

struct CoordinateDistanceTests {
    @Test(arguments: [
        // A degree of a great circle of 6,371,008.8 m is 111,195.08 m.
        (0.0, 0.0, 1.0, 0.0, 111_195.08), (0, 0, 0, 1, 111_195.08), (60, 0, 60, 0.001, 55.5975),
        (0, 179.5, 0, -179.5, 111_195.08), (90, 0, -90, 0, 20_015_114.4), (12, 34, 12, 34, 0),
        (0, 0, 0, 180, 20_015_114.4),
    ])
    func `distances follow the great circle`(
        _ latitude: Double, _ longitude: Double, _ otherLatitude: Double, _ otherLongitude: Double, _ metres: Double
    ) throws {
        let one = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let other = try #require(Coordinate(latitude: otherLatitude, longitude: otherLongitude))
        #expect(abs(one.distance(to: other) - metres) <= max(0.001, metres * 1e-6))
        #expect(one.distance(to: other) == other.distance(to: one))
    }
}
