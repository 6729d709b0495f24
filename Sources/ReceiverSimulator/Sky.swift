import Glibc
import Location

/// The satellites above a place: circular orbits with the planes, heights and periods of the real systems, but not the
/// real satellites' positions.
struct Sky: Sendable {
    /// A satellite above the horizon.
    struct Satellite: Equatable, Sendable {
        var constellation: Constellation
        /// The satellite's number in NMEA 0183.
        var number: Int
        /// Degrees above the horizon.
        var elevation: Double
        /// Degrees from true north, 0 up to but not including 360.
        var azimuth: Double
    }

    /// The systems, in the usual order of receivers.
    let constellations: [Constellation]

    /// The satellites above the horizon at a place and time, by system and number.
    func satellites(at time: UTCTime, latitude: Double, longitude: Double) -> [Satellite] {
        let observer = Observer(latitude: latitude, longitude: longitude)
        return constellations.flatMap { constellation in
            (Orbits.of[constellation] ?? []).compactMap { orbit in
                let direction = observer.direction(of: orbit.position(at: time))
                guard direction.elevation > 0 else { return nil }
                return Satellite(
                    constellation: constellation, number: orbit.number, elevation: direction.elevation,
                    azimuth: direction.azimuth)
            }
        }
    }
}

/// A point in metres along the axes of the rotating Earth: through Greenwich, through 90° east, through the north pole.
private struct EarthPoint {
    var x: Double
    var y: Double
    var z: Double
}

/// A satellite's circular orbit around a spherical Earth.
private struct Orbit {
    var number: Int
    /// Metres from the Earth's centre.
    var radius: Double
    /// The inclination in degrees.
    var inclination: Double
    /// The ascending node at the epoch, in degrees.
    var node: Double
    /// The angle from the ascending node at the epoch, in degrees.
    var phase: Double

    private static let gravitation = 3.986_004_418e14
    private static let earthRotation = 7.292_115e-5

    func position(at time: UTCTime) -> EarthPoint {
        let seconds = time.secondsSinceEpoch
        let motion = (Self.gravitation / (radius * radius * radius)).squareRoot()
        let along = phase * .pi / 180 + fmod(motion * seconds, 2 * .pi)
        let node = node * .pi / 180 - fmod(Self.earthRotation * seconds, 2 * .pi)
        let tilt = inclination * .pi / 180
        return EarthPoint(
            x: radius * (cos(node) * cos(along) - sin(node) * sin(along) * cos(tilt)),
            y: radius * (sin(node) * cos(along) + cos(node) * sin(along) * cos(tilt)),
            z: radius * sin(along) * sin(tilt))
    }

    /// A satellite above a longitude of the equator, with a period of one day.
    static func geostationary(number: Int, longitude: Double) -> Orbit {
        Orbit(number: number, radius: 42_164_000, inclination: 0, node: longitude, phase: 0)
    }
}

private enum Orbits {
    static let of: [Constellation: [Orbit]] = [
        .gps: walker(first: 1, planes: 6, each: 5, radius: 26_560_000, inclination: 55, phasing: 24, node: 12),
        .sbas: [
            .geostationary(number: 33, longitude: -15), .geostationary(number: 36, longitude: 5),
            .geostationary(number: 49, longitude: 31.5), .geostationary(number: 48, longitude: -133),
        ],
        .galileo: walker(first: 1, planes: 3, each: 8, radius: 29_600_000, inclination: 56, phasing: 15, node: 40),
        .beidou: walker(first: 6, planes: 3, each: 8, radius: 27_900_000, inclination: 55, phasing: 15, node: 75),
        .glonass: walker(first: 65, planes: 3, each: 8, radius: 25_510_000, inclination: 64.8, phasing: 15, node: 5),
    ]

    /// Satellites in evenly distributed planes, evenly distributed in each (Walker delta pattern). Degrees, metres.
    private static func walker(
        first: Int, planes: Int, each: Int, radius: Double, inclination: Double, phasing: Double, node: Double
    ) -> [Orbit] {
        (0..<planes * each).map { index in
            let plane = Double(index / each)
            let slot = Double(index % each)
            return Orbit(
                number: first + index, radius: radius, inclination: inclination,
                node: node + plane * 360 / Double(planes), phase: slot * 360 / Double(each) + plane * phasing)
        }
    }
}

private struct Observer {
    private let latitude: Double
    private let longitude: Double

    init(latitude: Double, longitude: Double) {
        self.latitude = latitude * .pi / 180
        self.longitude = longitude * .pi / 180
    }

    func direction(of satellite: EarthPoint) -> (elevation: Double, azimuth: Double) {
        let earthRadius = 6_371_000.0
        let outward = cos(longitude) * satellite.x + sin(longitude) * satellite.y
        let east = cos(longitude) * satellite.y - sin(longitude) * satellite.x
        let north = cos(latitude) * satellite.z - sin(latitude) * outward
        let above = cos(latitude) * outward + sin(latitude) * satellite.z - earthRadius
        let elevation = atan2(above, hypot(east, north)) * 180 / .pi
        return (elevation, PlanePoint(east: east, north: north).course)
    }
}
