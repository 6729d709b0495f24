import Glibc
import Location
import Platform
import RegionStorage
import Regions
import TestSupport

/// Circles for the store and its peers, the same in each run: most of them around two hundred towns.
struct RegionData {
    /// A circle.
    struct Circle {
        var identifier: String
        var latitude: Double
        var longitude: Double
        /// Metres, 30 to 300 in steps of a metre.
        var radius: Double

        var center: Coordinate { Coordinate(clampedLatitude: latitude, clampedLongitude: longitude) }
    }

    /// Metres of the largest circle.
    static let largest = 300.0
    /// Circles that have their borders at the same place.
    static let crossedAtOnce = 100
    /// In the middle of those.
    static let crossing = Coordinate(clampedLatitude: 62, clampedLongitude: 40)

    let count: Int

    /// Calls `body` with a thousand circles at a time.
    func forEachThousand(_ body: ([Circle]) throws -> Void) rethrows {
        var random = SeededGenerator(seed: 20_261_125)
        let towns = (0..<200).map { _ in
            (Double.random(in: 36...60, using: &random), Double.random(in: -9...30, using: &random))
        }
        var part: [Circle] = []
        for number in 0..<count {
            var circle: Circle
            if number < Self.crossedAtOnce {
                circle = Circle(
                    identifier: "", latitude: Self.crossing.latitude, longitude: Self.crossing.longitude, radius: 200)
            } else if Int.random(in: 0..<10, using: &random) < 7, let town = towns.randomElement(using: &random) {
                let (north, east) = (Self.normal(&random) * 0.1, Self.normal(&random) * 0.15)
                circle = Circle(identifier: "", latitude: town.0 + north, longitude: town.1 + east, radius: 0)
            } else {
                circle = Circle(
                    identifier: "", latitude: .random(in: 36...60, using: &random),
                    longitude: .random(in: -9...30, using: &random), radius: 0)
            }
            if circle.radius == 0 { circle.radius = Double.random(in: 30...Self.largest, using: &random).rounded() }
            // As in a file with seven decimals.
            circle.latitude = (circle.latitude * 1e7).rounded() / 1e7
            circle.longitude = (circle.longitude * 1e7).rounded() / 1e7
            circle.identifier = "stop-\(UInt32.random(in: .min ... .max, using: &random))-\(number)"
            part.append(circle)
            if part.count == 1_000 || number == count - 1 {
                try body(part)
                part = []
            }
        }
    }

    /// Places near some of the circles.
    func places(_ number: Int) -> [Coordinate] {
        var places: [Coordinate] = []
        let stride = max(1, count / 1_000 / number)
        var thousand = 0
        forEachThousand { part in
            if thousand % stride == 0, places.count < number, let circle = part.last {
                places.append(Coordinate(clampedLatitude: circle.latitude + 0.005, clampedLongitude: circle.longitude))
            }
            thousand += 1
        }
        while !places.isEmpty, places.count < number { places.append(places[places.count - 1]) }
        return places
    }

    /// Writes a line for each circle: number, identifier, longitude, latitude, radius.
    func write(to path: String) throws {
        guard let file = fopen(path, "we") else { throw SystemError("make", subject: path) }
        defer { fclose(file) }
        var number = 0
        forEachThousand { part in
            for circle in part {
                number += 1
                fputs(
                    "\(number),\(circle.identifier),\(circle.longitude),\(circle.latitude),\(circle.radius)\n", file)
            }
        }
    }

    /// A normally distributed number: the sum of twelve equally distributed ones.
    private static func normal(_ random: inout SeededGenerator) -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &random) }
    }
}

/// What was measured of the store or of a peer; nil where it was not.
struct RegionFigures {
    var importSeconds: Double?
    var megabytes: Double?
    /// Milliseconds for the regions with a border within 10 km, the mean of several places.
    var pass: Double?
    /// Microseconds for a fix that crosses nothing.
    var quietFix: Double?
    /// Milliseconds for a fix that crosses a hundred borders, with the events on the disk.
    var crossing: Double?
}
