import Location
import Testing

@Suite struct CoordinateTests {
    @Test(arguments: [(0.0, 0.0), (90, 180), (-90, -180), (47.5, 21.1)])
    func `a place on the Earth is a coordinate`(latitude: Double, longitude: Double) throws {
        let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
        #expect(coordinate.latitude == latitude)
        #expect(coordinate.longitude == longitude)
    }

    @Test(arguments: [
        (90.000_001, 0.0), (-90.1, 0), (0, 180.000_001), (0, -181), (.nan, 0), (0, .nan), (.infinity, 0),
        (0, -.infinity),
    ]) func `numbers outside the range are no coordinate`(latitude: Double, longitude: Double) {
        #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }
}
