import Glibc
import Location

/// A vector in metres from the centre of the Earth: x to longitude 0 on the equator, y to longitude 90° E, z to the north
/// pole. Without a seam at the antimeridian or at a pole.
public struct SurfacePoint: Equatable, Sendable {
    /// Metres towards longitude 0 on the equator.
    public var x: Double
    /// Metres towards longitude 90° E on the equator.
    public var y: Double
    /// Metres towards the north pole.
    public var z: Double

    /// A vector of these components.
    public init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// The point of the WGS 84 ellipsoid at a coordinate.
    public init(_ coordinate: Coordinate) {
        let latitude = coordinate.latitude * (Double.pi / 180)
        let longitude = coordinate.longitude * (Double.pi / 180)
        let sine = sin(latitude)
        let normal = Geodesic.semiMajorAxis / (1 - Geodesic.squaredEccentricity * sine * sine).squareRoot()
        let across = normal * cos(latitude)
        self.init(
            x: across * cos(longitude), y: across * sin(longitude),
            z: normal * (1 - Geodesic.squaredEccentricity) * sine)
    }

    /// The coordinate of a point of the ellipsoid.
    public var coordinate: Coordinate {
        let latitude = atan2(z, (1 - Geodesic.squaredEccentricity) * (x * x + y * y).squareRoot())
        let longitude = atan2(y, x)
        let degrees = 180 / Double.pi
        return Coordinate(clampedLatitude: latitude * degrees, clampedLongitude: longitude * degrees)
    }

    /// The point of the ellipsoid in this direction from the Earth's centre.
    var onSurface: SurfacePoint {
        let (equatorial, polar) = (Geodesic.semiMajorAxis, Geodesic.semiMinorAxis)
        let scale = ((x * x + y * y) / (equatorial * equatorial) + z * z / (polar * polar)).squareRoot()
        return self * (1 / scale)
    }

    /// Metres of the straight line through the Earth to another point; never more than the distance on its surface.
    public func chord(to other: SurfacePoint) -> Double { (self - other).length }

    /// Metres on the surface to another point of it.
    ///
    /// Up to 100 km the chord and two terms of the series of the arc over it are exact to 2 cm, whatever the direction.
    public func distance(to other: SurfacePoint) -> Double {
        let chord = chord(to: other)
        guard chord > 100_000 else {
            let share = (chord / Coordinate.meanEarthRadius) * (chord / Coordinate.meanEarthRadius)
            return chord * (1 + share / 24 + 3 * share * share / 640)
        }
        return Geodesic.distance(coordinate, other.coordinate)
    }

    /// Metres.
    var length: Double { dot(self).squareRoot() }

    func dot(_ other: SurfacePoint) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: SurfacePoint) -> SurfacePoint {
        SurfacePoint(
            x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }

    /// Two vectors of length 1, perpendicular to this one and to each other.
    var perpendicularAxes: (SurfacePoint, SurfacePoint) {
        let pole = SurfacePoint(x: 0, y: 0, z: 1)
        let equator = SurfacePoint(x: 1, y: 0, z: 0)
        let one = cross(abs(z) < 0.9 * length ? pole : equator)
        let first = one * (1 / one.length)
        let other = cross(first)
        return (first, other * (1 / other.length))
    }

    static func + (one: SurfacePoint, other: SurfacePoint) -> SurfacePoint {
        SurfacePoint(x: one.x + other.x, y: one.y + other.y, z: one.z + other.z)
    }

    static func - (one: SurfacePoint, other: SurfacePoint) -> SurfacePoint {
        SurfacePoint(x: one.x - other.x, y: one.y - other.y, z: one.z - other.z)
    }

    static func * (one: SurfacePoint, scale: Double) -> SurfacePoint {
        SurfacePoint(x: one.x * scale, y: one.y * scale, z: one.z * scale)
    }
}
