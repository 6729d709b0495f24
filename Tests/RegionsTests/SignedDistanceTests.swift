import Location
import Regions
import TestSupport
import TestTraits
import Testing

@Suite(.computes) struct SignedDistanceTests {
    /// The goal is 0.1 % or 1 m; near a border the difference is less than 20 cm, and to a circle 3 cm.
    @Test func `distances to borders agree with geographiclib`() throws {
        let references = try Reference.all()
        #expect(references.count > 1_000)
        for reference in references {
            let distance = reference.region.signedDistance(to: reference.coordinate)
            let error = abs(distance - reference.metres)
            let near = reference.text.hasPrefix("circle") ? 0.03 : 0.2
            let limit = abs(reference.metres) < 1_000 ? near : max(1, abs(reference.metres) * 0.001)
            #expect(error <= limit, "\(reference.text): \(distance) instead of \(reference.metres)")
        }
    }

    @Test func `the bounds of a region contain all that is inside, and are never farther than its border`() throws {
        for reference in try Reference.all() {
            let apart = reference.region.bounds.distance(to: SurfacePoint(reference.coordinate))
            #expect(apart <= max(0, reference.metres) + 0.01, "\(reference.text)")
        }
    }

    @Test(arguments: [
        // By geographiclib.
        (0.0, 0.0, 0.0, 180.0, 20_003_931.459), (0, 0, 0.5, 179.7, 19_944_127.421), (30, 0, -30, 179.9, 20_003_008.422),
        (0, 0, 0, 179.4, 19_970_715.517), (90, 0, -90, 0, 20_003_931.459), (47.58, 21.12, 47.58, 21.12, 0),
        (89.99, 0, 89.99, 180, 2233.880), (-17, 179.9, -17, -179.9, 21_297.165),
    ])
    func `the shortest line is found between any two coordinates`(
        _ latitude: Double, _ longitude: Double, _ otherLatitude: Double, _ otherLongitude: Double, _ metres: Double
    ) throws {
        let one = try Region.coordinate(latitude: latitude, longitude: longitude)
        let other = try Region.coordinate(latitude: otherLatitude, longitude: otherLongitude)
        #expect(abs(Geodesic.distance(one, other) - metres) < 0.01)
        #expect(abs(Geodesic.distance(other, one) - metres) < 0.01)
    }
}
