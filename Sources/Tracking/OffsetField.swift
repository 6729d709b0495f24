import Glibc
import Location

/// By how much places are moved before the grid of reduced accuracy is laid over them: a secret, without which a border
/// of the grid cannot be told on a map.
///
/// Each axis is uniform in half a cell either way (±2,500 m) wherever one looks, does not change with time, and is the
/// same for all apps. Space is divided into cubes of 25 km; each corner has two numbers, drawn with a keyed hash from
/// the standard normal distribution, and a place has those of the eight corners around it, weighted by nearness,
/// brought back to unit variance and through the normal distribution's integral to a uniform one.
///
/// An offset drawn for each cube alone would jump where cubes meet. Who crosses there would be seen to step back or
/// sideways, and the cubes are no secret: a border known to the metre. This one is continuous, over the poles and the
/// 180th meridian too, because the cubes divide space and not latitudes and longitudes.
public struct OffsetField: Sendable {
    /// 128 bits that follow from a key and a cube's corner, and from which neither can be told.
    public typealias KeyedHash = @Sendable (_ x: Int32, _ y: Int32, _ z: Int32) -> (UInt64, UInt64)

    /// Metres, the edge of a cube.
    public static let cube = 25_000.0

    /// Which key the hash has: not the key, and nothing it could be told from.
    public let keyIdentifier: UInt64
    private let hash: KeyedHash

    /// A field of a key, through a hash that holds it.
    public init(keyIdentifier: UInt64, hash: @escaping KeyedHash) {
        self.keyIdentifier = keyIdentifier
        self.hash = hash
    }

    /// By how many cells a place is moved to the north and to the east, -0.5…0.5 each.
    public func offset(at place: Coordinate) -> (north: Double, east: Double) {
        let point = Self.point(of: place)
        let corner = point.rounded(.down)
        let far = point - corner
        let near = SIMD3(repeating: 1.0) - far
        var sum = SIMD2(0.0, 0.0)
        var squares = 0.0
        for index: Int32 in 0..<8 {
            let (dx, dy, dz) = (index & 1, index >> 1 & 1, index >> 2)
            let weight =
                (dx == 0 ? near.x : far.x) * (dy == 0 ? near.y : far.y) * (dz == 0 ? near.z : far.z)
            if weight == 0 { continue }
            let bits = hash(Int32(corner.x) + dx, Int32(corner.y) + dy, Int32(corner.z) + dz)
            sum += weight * Self.normals(bits.0, bits.1)
            squares += weight * weight
        }
        let normal = sum / squares.squareRoot()
        return (Self.centredUniform(normal.x), Self.centredUniform(normal.y))
    }

    /// A place in space, in cubes from the middle of the Earth.
    private static func point(of place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        let radius = Coordinate.meanEarthRadius / cube
        return radius * SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    /// Two independent numbers of the standard normal distribution from 128 random bits, after Box and Muller.
    private static func normals(_ first: UInt64, _ second: UInt64) -> SIMD2<Double> {
        let scale = 1 / Double(1 << 53)
        // Never 0, of which there is no logarithm.
        let radius = (-2 * log((Double(first >> 11) + 0.5) * scale)).squareRoot()
        let angle = 2 * Double.pi * Double(second >> 11) * scale
        return SIMD2(radius * cos(angle), radius * sin(angle))
    }

    /// The standard normal distribution's integral, less a half: uniform where its argument is normal, erfc(3).
    private static func centredUniform(_ normal: Double) -> Double {
        0.5 - 0.5 * erfc(normal * 0.5.squareRoot())
    }
}
