import Location
import Regions
import Testing

struct ValidationTests {
    private func ring(_ numbers: [(Double, Double)]) throws -> [Coordinate] {
        try numbers.map { try Region.coordinate(latitude: $0.0, longitude: $0.1) }
    }

    private func error(_ shape: Region.Shape) -> RegionError? {
        do throws(RegionError) {
            _ = try Region(shape)
            return nil
        } catch { return error }
    }

    @Test(arguments: [0.0, 0.999, 5_000_001, -80, .nan, .infinity])
    func `a circle has a radius from 1 m to 5,000 km`(_ radius: Double) throws {
        let center = try Region.coordinate(latitude: 47.58, longitude: 21.12)
        #expect(error(.circle(center: center, radius: radius)) == RegionError(.radiusOutOfRange))
        #expect(error(.circle(center: center, radius: 1)) == nil)
        #expect(error(.circle(center: center, radius: 5_000_000)) == nil)
    }

    @Test(arguments: [(90.1, 0.0), (-91, 0), (0, 180.5), (0, -181), (.nan, 0), (0, .infinity)])
    func `a coordinate out of range is named by its place`(_ latitude: Double, _ longitude: Double) {
        let expected = RegionError(.coordinateOutOfRange, ring: 1, point: 6)
        #expect(throws: expected) {
            try Region.coordinate(latitude: latitude, longitude: longitude, ring: 1, point: 6)
        }
        #expect(expected.description.hasPrefix("point 7 of ring 2: the latitude has to be"))
    }

    @Test func `a ring needs three different points that enclose a square metre`() throws {
        let two = try ring([(47, 21), (47, 22), (47, 21)])
        let line = try ring([(0, 21), (0, 22), (0, 23), (0, 21)])
        let square = try ring([(47, 21), (47, 22), (48, 22), (48, 21), (47, 21)])
        #expect(error(.polygon(rings: [])) == RegionError(.tooFewPoints))
        #expect(error(.polygon(rings: [two])) == RegionError(.degenerateRing, ring: 0))
        #expect(error(.polygon(rings: [line])) == RegionError(.degenerateRing, ring: 0))
        #expect(error(.polygon(rings: [square, two])) == RegionError(.degenerateRing, ring: 1))
        #expect(error(.polygon(rings: [square])) == nil)
        #expect(error(.polygon(rings: [square.dropLast()])) == nil)
        #expect(error(.polygon(rings: [square.reversed()])) == nil)
    }

    @Test func `edges that cross are named, also across the antimeridian and around a pole`() throws {
        let bow = try ring([(47, 21), (48, 22), (48, 21), (47, 22)])
        #expect(error(.polygon(rings: [bow])) == RegionError(.crossing(ring: 0, point: 2), ring: 0, point: 0))
        let even = try ring([(0, 21), (0.002, 21.002), (0, 21.002), (0.002, 21)])
        #expect(error(.polygon(rings: [even])) == RegionError(.crossing(ring: 0, point: 2), ring: 0, point: 0))
        let seam = try ring([(-17, 179.9), (-16, -179.9), (-16, 179.9), (-17, -179.9)])
        #expect(error(.polygon(rings: [seam])) == RegionError(.crossing(ring: 0, point: 2), ring: 0, point: 0))
        let pole = try ring([(80, 0), (80, 90), (80, 180), (80, -90)])
        #expect(error(.polygon(rings: [pole])) == nil)
        let crossed = try ring([(80, 0), (80, 180), (80, 90), (81, -90)])
        #expect(error(.polygon(rings: [crossed]))?.reason == .crossing(ring: 0, point: 2))
        let text = RegionError(.crossing(ring: 0, point: 2), ring: 0, point: 0).description
        #expect(text == "point 1 of ring 1: the edge from here crosses the edge from point 3 of ring 1")
    }

    @Test func `a hole is inside the border, outside other holes, and crosses neither`() throws {
        let square = try ring([(47, 21), (47, 22), (48, 22), (48, 21)])
        let hole = try ring([(47.2, 21.2), (47.2, 21.8), (47.8, 21.8), (47.8, 21.2)])
        let nested = try ring([(47.4, 21.4), (47.4, 21.6), (47.6, 21.6)])
        let outside = try ring([(49, 21.4), (49, 21.6), (49.2, 21.6)])
        let across = try ring([(47.5, 21.5), (47.5, 22.5), (47.6, 22.5)])
        #expect(error(.polygon(rings: [square, hole])) == nil)
        #expect(error(.polygon(rings: [square, hole, nested])) == RegionError(.misplacedHole, ring: 2))
        #expect(error(.polygon(rings: [square, outside])) == RegionError(.misplacedHole, ring: 1))
        #expect(error(.polygon(rings: [square, across]))?.reason == .crossing(ring: 1, point: 0))
    }

    @Test func `a polygon fits into the greatest circle, and neighbouring points are not on opposite sides`() throws {
        let large = try ring([(40, 0), (40, 90), (40, 180), (40, -90)])
        #expect(error(.polygon(rings: [large]))?.reason == .tooLarge)
        let opposite = try ring([(0, 0), (0, 170)])
        #expect(error(.corridor(line: opposite, halfWidth: 5)) == RegionError(.pointsTooFarApart, point: 0))
        let around = try (0..<200).map { try Region.coordinate(latitude: 0, longitude: $0 % 2 == 0 ? 0 : 80) }
        #expect(error(.corridor(line: around, halfWidth: 5))?.reason == .borderTooLong)
    }

    @Test func `a region has at most 10,000 points`() throws {
        let circle = try (0..<10_001).map { index in
            try Region.coordinate(latitude: 47 + Double(index) / 100_000, longitude: 21 + Double(index % 2) / 10_000)
        }
        #expect(error(.corridor(line: circle, halfWidth: 5)) == RegionError(.tooManyPoints))
        #expect(error(.corridor(line: Array(circle.dropLast()), halfWidth: 5)) == nil)
        #expect(error(.polygon(rings: [circle])) == RegionError(.tooManyPoints))
    }

    @Test func `a corridor needs two different points and a half width`() throws {
        let line = try ring([(47, 21), (47, 21)])
        #expect(error(.corridor(line: line, halfWidth: 5)) == RegionError(.tooFewPoints))
        #expect(error(.corridor(line: [], halfWidth: 5)) == RegionError(.tooFewPoints))
        let real = try ring([(47, 21), (47.1, 21)])
        #expect(error(.corridor(line: real, halfWidth: 0.5)) == RegionError(.halfWidthOutOfRange))
    }
}
