import Glibc

/// Directions over ground.
enum Bearing {
    /// How far east and how far north a step of length 1 goes that points so many degrees from true north.
    static func components(_ degrees: Double) -> (east: Double, north: Double) {
        let radians = degrees * .pi / 180
        return (sin(radians), cos(radians))
    }
}
