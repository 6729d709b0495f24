import Glibc

/// The WGS 84 ellipsoid, as far as the projections of the military grid need it.
enum Ellipsoid {
    /// The equatorial radius in metres.
    static let equatorialRadius = 6_378_137.0
    /// The flattening.
    static let flattening = 1 / 298.257_223_563
    /// The third flattening, in which Krüger's series are written.
    static let thirdFlattening = flattening / (2 - flattening)

    /// The first eccentricity.
    fileprivate static let eccentricity = (flattening * (2 - flattening)).squareRoot()

    /// The tangent of the conformal latitude, from that of the geographic latitude: Karney 2011, equations 7 to 9.
    fileprivate static func conformal(_ tangent: Double) -> Double {
        let secant = hypot(1, tangent)
        let sigma = sinh(eccentricity * atanh(eccentricity * tangent / secant))
        return tangent * hypot(1, sigma) - sigma * secant
    }
}

/// The transverse Mercator projection of UTM, by Krüger's series to the sixth order: C. F. F. Karney, "Transverse Mercator
/// with an accuracy of a few nanometers", Journal of Geodesy 85 (2011). Within a zone the series is exact to far less
/// than a millimetre.
enum TransverseMercator {
    /// The scale on the central meridian.
    private static let scale = 0.9996

    /// Metres east of the central meridian and north of the equator.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north, between the poles.
    ///   - longitude: Degrees east of the central meridian, -90…90.
    static func project(latitude: Double, longitude: Double) -> (east: Double, north: Double) {
        let radians = Double.pi / 180
        let tangent = Ellipsoid.conformal(tan(latitude * radians))
        let (sine, cosine) = (sin(longitude * radians), cos(longitude * radians))
        let xi = atan2(tangent, cosine)
        let eta = asinh(sine / hypot(tangent, cosine))
        var (north, east) = (xi, eta)
        for (index, coefficient) in coefficients.enumerated() {
            let order = 2 * Double(index + 1)
            north += coefficient * sin(order * xi) * cosh(order * eta)
            east += coefficient * cos(order * xi) * sinh(order * eta)
        }
        return (scale * rectifyingRadius * east, scale * rectifyingRadius * north)
    }

    /// The radius in metres of the sphere whose meridians are as long as the ellipsoid's: Karney 2011, equation 14.
    private static let rectifyingRadius: Double = {
        let n = Ellipsoid.thirdFlattening
        let square = n * n
        return Ellipsoid.equatorialRadius / (1 + n)
            * (1 + square / 4 + square * square / 64 + square * square * square / 256)
    }()

    /// The coefficients α₁ to α₆ of Karney 2011, equation 35.
    private static let coefficients: [Double] = {
        /// The polynomial in n that begins with this power.
        func polynomial(_ power: Int, _ factors: [Double]) -> Double {
            let n = Ellipsoid.thirdFlattening
            return factors.reversed().reduce(0) { $0 * n + $1 } * pow(n, Double(power))
        }
        return [
            polynomial(1, [1.0 / 2, -2.0 / 3, 5.0 / 16, 41.0 / 180, -127.0 / 288, 7_891.0 / 37_800]),
            polynomial(2, [13.0 / 48, -3.0 / 5, 557.0 / 1_440, 281.0 / 630, -1_983_433.0 / 1_935_360]),
            polynomial(3, [61.0 / 240, -103.0 / 140, 15_061.0 / 26_880, 167_603.0 / 181_440]),
            polynomial(4, [49_561.0 / 161_280, -179.0 / 168, 6_601_661.0 / 7_257_600]),
            polynomial(5, [34_729.0 / 80_640, -3_418_889.0 / 1_995_840]),
            polynomial(6, [212_378_941.0 / 319_334_400]),
        ]
    }()
}

/// The polar stereographic projection of UPS.
enum PolarStereographic {
    /// The scale at the pole.
    private static let scale = 0.994

    /// Metres east and north of the pole on a map with the meridian of Greenwich down at the north pole and up at the
    /// south pole.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north; the sign chooses the pole.
    ///   - longitude: Degrees east of Greenwich.
    static func project(latitude: Double, longitude: Double) -> (east: Double, north: Double) {
        let radians = Double.pi / 180
        let tangent = Ellipsoid.conformal(tan(min(latitude.magnitude, 90) * radians))
        let distance = latitude.magnitude >= 90 ? 0 : radius / (hypot(1, tangent) + tangent)
        let north = distance * cos(longitude * radians)
        return (distance * sin(longitude * radians), latitude > 0 ? -north : north)
    }

    /// The radius in metres of the equator on this map.
    private static let radius: Double = {
        let eccentricity = Ellipsoid.eccentricity
        return 2 * scale * Ellipsoid.equatorialRadius
            / ((1 - Ellipsoid.flattening) * exp(eccentricity * atanh(eccentricity)))
    }()
}
