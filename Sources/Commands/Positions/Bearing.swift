import Glibc

/// Directions over ground.
enum Bearing {
    /// The eastern and northern components of a step of length 1 in this direction, in degrees from true north.
    static func components(_ degrees: Double) -> (east: Double, north: Double) {
        let radians = degrees * .pi / 180
        return (sin(radians), cos(radians))
    }
}
