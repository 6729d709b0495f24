import Glibc
import Location

/// The offsets by which places are moved before they are assigned to a cell of the reduced accuracy's grid. They are
/// secret, so that an attacker cannot locate a border of the grid on a map.
///
/// At every place each axis is uniformly distributed over half a cell in both directions (±2,500 m). The offset does
/// not change with time, and is the same for all apps. Space is divided into cubes of 25 km. Each corner has two
/// numbers, drawn with a keyed hash from the standard normal distribution. The numbers of the eight corners around a
/// place are weighted by distance, scaled back to unit variance, and mapped to a uniform distribution by the normal
/// distribution's integral.
///
/// An offset for each cube alone would jump at the border between cubes. The borders are no secret, so a jump of
/// a position there would reveal the place to the metre. This field is continuous, even at the poles and the
/// 180th meridian, because the cubes divide space instead of latitudes and longitudes.
public struct OffsetField: Sendable {
    /// 128 bits derived from a key and a cube's corner. They reveal neither.
    public typealias KeyedHash = @Sendable (_ x: Int32, _ y: Int32, _ z: Int32) -> (UInt64, UInt64)

    /// The edge of a cube in metres.
    public static let cube = 25_000.0

    /// Identifies the key of the hash. Neither the key nor anything about it can be derived from this number.
    public let keyIdentifier: UInt64
    private let hash: KeyedHash

    /// The field of a key, with a hash that contains the key.
    public init(keyIdentifier: UInt64, hash: @escaping KeyedHash) {
        self.keyIdentifier = keyIdentifier
        self.hash = hash
    }

    /// The offset of a place to the north and to the east, in cells, -0.5…0.5 each.
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

    /// A place in space, in cubes from the centre of the Earth.
    private static func point(of place: Coordinate) -> SIMD3<Double> {
        let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        let radius = Coordinate.meanEarthRadius / cube
        return radius * SIMD3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    /// Two independent numbers of the standard normal distribution from 128 random bits, by the Box-Muller transform.
    private static func normals(_ first: UInt64, _ second: UInt64) -> SIMD2<Double> {
        let scale = 1 / Double(1 << 53)
        // Never 0, which has no logarithm.
        let radius = (-2 * log((Double(first >> 11) + 0.5) * scale)).squareRoot()
        let angle = 2 * Double.pi * Double(second >> 11) * scale
        return SIMD2(radius * cos(angle), radius * sin(angle))
    }

    /// The standard normal distribution's integral minus one half: uniform if the argument is normal, erfc(3).
    private static func centredUniform(_ normal: Double) -> Double {
        0.5 - 0.5 * erfc(normal * 0.5.squareRoot())
    }
}
