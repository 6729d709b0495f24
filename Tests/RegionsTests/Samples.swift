import Glibc
import Location
import Regions

/// A field with its origin at an invented place: metres east and north.
struct Field {
    var latitude = 47.58
    var longitude = 21.12

    /// A point of the plane that touches the Earth at the origin, also near a pole and over the antimeridian.
    func coordinate(_ east: Double, _ north: Double) -> Coordinate {
        let (sinLatitude, cosLatitude) = (sin(latitude * .pi / 180), cos(latitude * .pi / 180))
        let (sinLongitude, cosLongitude) = (sin(longitude * .pi / 180), cos(longitude * .pi / 180))
        let origin = SurfacePoint(Coordinate(clampedLatitude: latitude, clampedLongitude: longitude))
        return SurfacePoint(
            x: origin.x - sinLongitude * east - sinLatitude * cosLongitude * north,
            y: origin.y + cosLongitude * east - sinLatitude * sinLongitude * north,
            z: origin.z + cosLatitude * north
        ).coordinate
    }

    func fix(
        _ seconds: Double, _ east: Double, _ north: Double = 0, accuracy: Double = 5, speed: Double? = nil,
        speedAccuracy: Double = 0.2
    ) -> Fix {
        Fix(
            time: time(seconds), receivedAt: UInt64(max(0, seconds) * 1e9), coordinate: coordinate(east, north),
            horizontalAccuracy: accuracy, speed: speed, speedAccuracy: speed.map { _ in speedAccuracy })
    }

    func time(_ seconds: Double) -> UTCTime { UTCTime(microseconds: 1_780_000_000_000_000 + Int64(seconds * 1e6)) }

    func circle(_ number: Int64 = 1, radius: Double, dwell: Double = 0, loitering: Double? = nil) throws
        -> MonitoredRegion
    {
        MonitoredRegion(
            number: number, region: try .circle(coordinate(0, 0), radius: radius), dwell: dwell, loitering: loitering)
    }
}
