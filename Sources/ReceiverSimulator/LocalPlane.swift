import Glibc

/// A point on a plane that is tangent to the Earth at an origin.
struct PlanePoint: Equatable, Sendable {
    /// Metres east of the origin.
    var east: Double
    /// Metres north of the origin.
    var north: Double

    static func + (left: PlanePoint, right: PlanePoint) -> PlanePoint {
        PlanePoint(east: left.east + right.east, north: left.north + right.north)
    }

    static func - (left: PlanePoint, right: PlanePoint) -> PlanePoint {
        PlanePoint(east: left.east - right.east, north: left.north - right.north)
    }

    static func * (point: PlanePoint, factor: Double) -> PlanePoint {
        PlanePoint(east: point.east * factor, north: point.north * factor)
    }

    /// Metres from the origin.
    var length: Double { hypot(east, north) }

    /// The direction from the origin to the point, in degrees from true north, 0 up to but not including 360.
    var course: Double { Angle.normalized(atan2(east, north) * 180 / .pi) }

    /// The point at a distance and direction from the origin.
    init(distance: Double, course: Double) {
        let radians = course * .pi / 180
        self.init(east: distance * sin(radians), north: distance * cos(radians))
    }

    init(east: Double, north: Double) {
        self.east = east
        self.north = north
    }
}

/// Angles in degrees.
enum Angle {
    /// The same direction, 0 up to but not including 360.
    static func normalized(_ degrees: Double) -> Double {
        let rest = fmod(degrees, 360)
        let positive = rest < 0 ? rest + 360 : rest
        return positive < 360 ? positive : 0
    }

    /// The change from one direction to another, more than -180 up to 180; positive is to the right.
    static func turn(from start: Double, to end: Double) -> Double {
        let turn = normalized(end - start)
        return turn > 180 ? turn - 360 : turn
    }
}

/// The plane that is tangent to the WGS 84 ellipsoid at an origin. Accurate to a few centimetres within ten kilometres,
/// except near the poles.
struct LocalPlane: Sendable {
    let latitude: Double
    let longitude: Double
    private let metersPerDegreeNorth: Double
    private let metersPerDegreeEast: Double

    /// The plane at this origin, in degrees north and east.
    init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
        let equatorialRadius = 6_378_137.0
        let eccentricitySquared = 6.694_379_990_14e-3
        let sine = sin(latitude * .pi / 180)
        let curvature = 1 - eccentricitySquared * sine * sine
        let meridianRadius = equatorialRadius * (1 - eccentricitySquared) / (curvature * curvature.squareRoot())
        let transverseRadius = equatorialRadius / curvature.squareRoot()
        metersPerDegreeNorth = meridianRadius * .pi / 180
        metersPerDegreeEast = transverseRadius * cos(latitude * .pi / 180) * .pi / 180
    }

    /// The coordinates of a point: degrees north, -90…90, and east, -180…180.
    func degrees(of point: PlanePoint) -> (latitude: Double, longitude: Double) {
        let north = latitude + point.north / metersPerDegreeNorth
        let east = longitude + point.east / metersPerDegreeEast
        return (min(90, max(-90, north)), Angle.normalized(east + 180) - 180)
    }
}
