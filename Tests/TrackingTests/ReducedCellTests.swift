import Location
import Testing

struct ReducedCellTests {
    private func cell(_ latitude: Double, _ longitude: Double, north: Double = 0, east: Double = 0) -> ReducedCell? {
        Coordinate(latitude: latitude, longitude: longitude).map {
            ReducedCell(containing: $0, movedNorth: north, movedEast: east)
        }
    }

    @Test(arguments: [-89.5, -75, -60, -33.3, -0.01, 0.01, 12, 51.5, 70, 85, 89.7])
    func `a place is at most half a diagonal from the centre of its cell`(latitude: Double) throws {
        for step in 0..<720 {
            let place = try #require(Coordinate(latitude: latitude, longitude: Double(step) / 2 - 180))
            let centre = try #require(cell(place.latitude, place.longitude)).centre
            #expect(place.distance(to: centre) < 3_700, "longitude \(place.longitude)")
        }
    }

    @Test func `the columns of a band do not depend on a place's latitude`() throws {
        // Two latitudes of one band, 4 km apart, all around the Earth.
        for step in 0..<3_600 {
            let longitude = Double(step) / 10 - 180 + 0.013
            let (south, north) = (try #require(cell(59.966, longitude)), try #require(cell(60.004, longitude)))
            #expect(south.band == north.band)
            #expect(south == north, "longitude \(longitude)")
        }
    }

    @Test func `all centres of a band have one latitude, and as many longitudes as columns`() {
        for band: Int32 in [1, 2, 500, 2_001, 3_335, 4_001] {
            var column: Int32 = 0
            var latitudes: Set<Double> = []
            while let cell = ReducedCell(band: band, column: column) {
                latitudes.insert(cell.centre.latitude)
                column += 1
            }
            #expect(latitudes.count == 1)
            #expect(ReducedCell(band: band, column: column) == nil)
        }
    }

    @Test(arguments: [(-90.0, -90.0), (90.0, 90.0)])
    func `a pole is the centre of a cap without columns`(_ pole: (latitude: Double, centre: Double)) {
        for step in 0...36 {
            for (north, east) in [(-0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (0, 0)] {
                let cap = cell(pole.latitude, Double(step) * 10 - 180, north: north, east: east)
                #expect(cap?.centre == Coordinate(latitude: pole.centre, longitude: 0))
            }
        }
    }

    @Test func `180 degrees east and west are one place`() throws {
        for latitude in [-80.0, -17, 0, 52, 66, 89.93] {
            for east in [-0.5, -0.2, 0, 0.2, 0.499] {
                #expect(cell(latitude, 180, east: east) == cell(latitude, -180, east: east))
            }
        }
    }

    @Test func `a place next to the 180th meridian is in a cell next to it wherever it is moved`() throws {
        for longitude in [179.999, -179.999] {
            for east in [-0.5, 0, 0.5] {
                let place = try #require(Coordinate(latitude: -17, longitude: longitude))
                let centre = try #require(cell(-17, longitude, east: east)).centre
                #expect(place.distance(to: centre) < 7_072)
            }
        }
    }

    @Test func `every cell exists by its numbers and no others exist`() throws {
        var latitude = -90.0
        while latitude <= 90 {
            for longitude in [-180, -179.99, -1, 0, 93.7, 179.99, 180] {
                let found = try #require(cell(latitude, longitude, north: 0.5, east: 0.5))
                #expect(ReducedCell(band: found.band, column: found.column) == found)
            }
            latitude += 0.25
        }
        #expect(ReducedCell(band: -1, column: 0) == nil)
        #expect(ReducedCell(band: 4_003, column: 0) == nil)
        #expect(ReducedCell(band: 0, column: 1) == nil)
        #expect(ReducedCell(band: 10, column: -1) == nil)
    }
}
