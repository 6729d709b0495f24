import Glibc
import Location

/// Shortest lines on the WGS 84 ellipsoid.
///
/// The formulae are Vincenty's (Survey Review XXIII, 176, 1975), exact to less than a millimetre. They do not converge
/// for nearly opposite points, for which the shortest line is found through its middle.
public enum Geodesic {
    /// Metres from the centre of the ellipsoid to the equator.
    public static let semiMajorAxis = 6_378_137.0
    /// Metres from the centre of the ellipsoid to a pole.
    public static let semiMinorAxis = semiMajorAxis * (1 - flattening)
    static let flattening = 1 / 298.257_223_563
    static let squaredEccentricity = flattening * (2 - flattening)
    /// Radians on the auxiliary sphere from which points count as nearly opposite: the formulae fail within 0.011 of
    /// half a turn.
    private static let nearlyOpposite = Double.pi - 0.03
    private static let radians = Double.pi / 180

    /// A shortest line: its length, and its direction at the start.
    struct Line {
        /// Metres.
        var length: Double
        /// Radians from true north, clockwise.
        var azimuth: Double
    }

    /// Metres along the shortest line between two coordinates.
    public static func distance(_ one: Coordinate, _ other: Coordinate) -> Double {
        line(from: one, to: other)?.length ?? oppositeDistance(one, other)
    }

    /// The shortest line between two coordinates, nil for nearly opposite ones.
    static func line(from start: Coordinate, to end: Coordinate) -> Line? {
        let (sinU1, cosU1) = reducedLatitude(start.latitude)
        let (sinU2, cosU2) = reducedLatitude(end.latitude)
        let difference = remainder((end.longitude - start.longitude) * radians, 2 * Double.pi)
        var lambda = difference
        for _ in 0..<64 {
            let (sinLambda, cosLambda) = (sin(lambda), cos(lambda))
            let across = cosU2 * sinLambda
            let along = cosU1 * sinU2 - sinU1 * cosU2 * cosLambda
            let sinSigma = (across * across + along * along).squareRoot()
            let cosSigma = sinU1 * sinU2 + cosU1 * cosU2 * cosLambda
            let sigma = atan2(sinSigma, cosSigma)
            guard sigma < nearlyOpposite else { return nil }
            guard sinSigma > 0 else { return Line(length: 0, azimuth: 0) }
            let arc = Arc(sinAlpha: cosU1 * cosU2 * sinLambda / sinSigma)
            let cosMiddle = arc.cosSquaredAlpha > 1e-12 ? cosSigma - 2 * sinU1 * sinU2 / arc.cosSquaredAlpha : 0
            let next = difference + arc.longitudeExcess(sigma, sinSigma, cosSigma, cosMiddle)
            let change = abs(next - lambda)
            lambda = next
            guard change < 1e-13 else { continue }
            let length = semiMinorAxis * arc.scale * (sigma - arc.correction(sinSigma, cosSigma, cosMiddle))
            return Line(length: length, azimuth: atan2(across, along))
        }
        return nil
    }

    /// The coordinate at the end of a line that starts here.
    static func end(of line: Line, from start: Coordinate) -> Coordinate {
        let (sinU1, cosU1) = reducedLatitude(start.latitude)
        let (sinAzimuth, cosAzimuth) = (sin(line.azimuth), cos(line.azimuth))
        let arc = Arc(sinAlpha: cosU1 * sinAzimuth)
        let first = atan2(sinU1, cosU1 * cosAzimuth)
        let uniform = line.length / (semiMinorAxis * arc.scale)
        var sigma = uniform
        var cosMiddle = cos(2 * first + sigma)
        for _ in 0..<64 {
            let next = uniform + arc.correction(sin(sigma), cos(sigma), cosMiddle)
            let change = abs(next - sigma)
            sigma = next
            cosMiddle = cos(2 * first + sigma)
            if change < 1e-15 { break }
        }
        let (sinSigma, cosSigma) = (sin(sigma), cos(sigma))
        let height = sinU1 * cosSigma + cosU1 * sinSigma * cosAzimuth
        let depth = sinU1 * sinSigma - cosU1 * cosSigma * cosAzimuth
        let latitude = atan2(
            height, (1 - flattening) * (arc.sinAlpha * arc.sinAlpha + depth * depth).squareRoot())
        let lambda = atan2(sinSigma * sinAzimuth, cosU1 * cosSigma - sinU1 * sinSigma * cosAzimuth)
        let longitude = start.longitude * radians + lambda - arc.longitudeExcess(sigma, sinSigma, cosSigma, cosMiddle)
        return Coordinate(
            clampedLatitude: latitude / radians, clampedLongitude: remainder(longitude, 2 * Double.pi) / radians)
    }

    /// Metres between nearly opposite coordinates.
    ///
    /// Every line between them crosses the plane through the Earth's centre that is perpendicular to the first
    /// coordinate's direction. The shortest line is the least sum of the distances to a point of that plane, which is
    /// found by steps around the plane and a golden section search.
    private static func oppositeDistance(_ one: Coordinate, _ other: Coordinate) -> Double {
        let (east, north) = SurfacePoint(one).perpendicularAxes
        func length(_ angle: Double) -> Double {
            let middle = (east * cos(angle) + north * sin(angle)).onSurface.coordinate
            guard let first = line(from: one, to: middle), let second = line(from: middle, to: other) else {
                return .infinity
            }
            return first.length + second.length
        }
        let step = Double.pi / 32
        let nearest = (0..<64).map { Double($0) * step }.min { length($0) < length($1) } ?? 0
        let golden = (5.0.squareRoot() - 1) / 2
        var (low, high) = (nearest - step, nearest + step)
        for _ in 0..<48 {
            let (left, right) = (high - golden * (high - low), low + golden * (high - low))
            if length(left) < length(right) { high = right } else { low = left }
        }
        return length((low + high) / 2)
    }

    private static func reducedLatitude(_ degrees: Double) -> (sine: Double, cosine: Double) {
        let sine = (1 - flattening) * sin(degrees * radians)
        let cosine = cos(degrees * radians)
        let norm = (sine * sine + cosine * cosine).squareRoot()
        return (sine / norm, cosine / norm)
    }
}

/// Vincenty's series for the great circle of the auxiliary sphere that crosses the equator with this azimuth.
private struct Arc {
    let sinAlpha: Double
    let cosSquaredAlpha: Double
    /// Vincenty's A, the length of the arc relative to that on the auxiliary sphere.
    let scale: Double
    /// Vincenty's B.
    private let second: Double

    init(sinAlpha: Double) {
        self.sinAlpha = sinAlpha
        cosSquaredAlpha = max(0, 1 - sinAlpha * sinAlpha)
        let axes = Geodesic.semiMajorAxis / Geodesic.semiMinorAxis
        let u = cosSquaredAlpha * (axes * axes - 1)
        scale = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
        second = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
    }

    /// Radians between the arc on the auxiliary sphere and the arc that is proportional to the length.
    func correction(_ sinSigma: Double, _ cosSigma: Double, _ cosMiddle: Double) -> Double {
        let middle = 2 * cosMiddle * cosMiddle
        let third = second / 6 * cosMiddle * (4 * sinSigma * sinSigma - 3) * (2 * middle - 3)
        return second * sinSigma * (cosMiddle + second / 4 * (cosSigma * (middle - 1) - third))
    }

    /// Radians by which the longitude on the auxiliary sphere exceeds that on the ellipsoid.
    func longitudeExcess(_ sigma: Double, _ sinSigma: Double, _ cosSigma: Double, _ cosMiddle: Double) -> Double {
        let flattening = Geodesic.flattening
        let series = flattening / 16 * cosSquaredAlpha * (4 + flattening * (4 - 3 * cosSquaredAlpha))
        let inner = cosMiddle + series * cosSigma * (2 * cosMiddle * cosMiddle - 1)
        return (1 - series) * flattening * sinAlpha * (sigma + series * sinSigma * inner)
    }
}
