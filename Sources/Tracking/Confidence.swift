/// Converts gpsd's 95 % estimates and standard deviations to the 68 % values of a fix.
///
/// gpsd_json(5) describes its estimates as "guessed to be 95 % confidence", and they are used as such.
///
/// In one dimension (height, speed, course) the error is normal, and p of all errors lie within z(p) deviations. In two
/// dimensions, equal and independent, the distance from the truth follows Rayleigh's distribution, and p of all errors
/// lie within a radius of √(−2 ln(1 − p)) deviations:
///
/// |                | 68 %   | 95 %   | 68 % of 95 % |
/// | -------------- | ------ | ------ | ------------ |
/// | one dimension  | 0.9945 | 1.9600 | 0.5074       |
/// | two dimensions | 1.5096 | 2.4477 | 0.6167       |
///
/// | gpsd reports | delivered                            |
/// | ------------ | ------------------------------------ |
/// | eph 19.19 m  | horizontal accuracy 11.83 m          |
/// | epv 33.81 m  | vertical accuracy 17.15 m            |
/// | eps 0.50 m/s | speed accuracy 0.25 m/s              |
public enum Confidence {
    /// The 68 % radius divided by the 95 % radius, two dimensions.
    public static let horizontal = 0.616_727_3
    /// The 68 % error divided by the 95 % error, one dimension.
    public static let linear = 0.507_385_8
    /// The 68 % radius divided by the standard deviation along each axis, two dimensions.
    public static let radiusOfDeviation = 1.509_592_2

    /// The 68 % radius in metres for standard deviations along two axes: that of a circle with their quadratic mean.
    public static func radius(deviations first: Double, _ second: Double) -> Double {
        radiusOfDeviation * ((first * first + second * second) / 2).squareRoot()
    }
}
