import Location
import Regions
import Storage

/// A region as bytes, version 1: Documentation/storage.md has the table.
///
/// Lossless: coordinates and lengths are decimal fractions in most cases, and stored as whole numbers of their smallest
/// step; otherwise as their eight bytes. Points are stored as differences to the one before.
enum RegionPayload {
    /// A region with its times, without its identifier.
    struct Content: Equatable {
        var region: Region
        var dwell: Double
        var loitering: Double?
    }

    private static let version: UInt8 = 1
    private static let shapeBits: UInt8 = 0x03
    private static let hasDwell: UInt8 = 0x04
    private static let hasLoitering: UInt8 = 0x08
    /// Lengths and times are stored as eight bytes each, because one of them is no whole number of thousandths.
    private static let hasRawLengths: UInt8 = 0x10
    private static let allBits: UInt8 = 0x1F
    /// Instead of the number of decimals: coordinates are stored as eight bytes each.
    private static let rawCoordinates: UInt8 = 0xFF
    private static let mostDecimals: UInt8 = 9
    private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// A region's bytes.
    static func bytes(_ region: Region, dwell: Double, loitering: Double?) -> [UInt8] {
        var lengths: [Double] = []
        var flags: UInt8 = 0
        if dwell != 0 {
            flags |= hasDwell
            lengths.append(dwell)
        }
        if let loitering {
            flags |= hasLoitering
            lengths.append(loitering)
        }
        let rings: [[Coordinate]]
        switch region.shape {
        case .circle(let center, let radius):
            rings = [[center]]
            lengths.append(radius)
        case .polygon(let polygon):
            rings = polygon
            flags |= 1
        case .corridor(let line, let halfWidth):
            rings = [line]
            lengths.append(halfWidth)
            flags |= 2
        }
        if !lengths.allSatisfy({ isWhole($0, of: 1_000, atMost: 1e12) }) { flags |= hasRawLengths }
        let decimals = decimals(of: rings)
        var writer = Writer(bytes: [version, flags, decimals])
        for length in lengths { writer.append(length, power: flags & hasRawLengths == 0 ? 1_000 : nil) }
        let isPolygon = flags & shapeBits == 1
        if isPolygon { LEB128.append(Int64(rings.count), to: &writer.bytes) }
        var before = (latitude: Int64(0), longitude: Int64(0))
        for ring in rings {
            if flags & shapeBits != 0 { LEB128.append(Int64(ring.count), to: &writer.bytes) }
            for point in ring {
                guard decimals != rawCoordinates else {
                    writer.append(point.latitude, power: nil)
                    writer.append(point.longitude, power: nil)
                    continue
                }
                let power = powers[Int(decimals)]
                let next = (
                    latitude: Int64((point.latitude * power).rounded()),
                    longitude: Int64((point.longitude * power).rounded())
                )
                LEB128.append(next.latitude - before.latitude, to: &writer.bytes)
                LEB128.append(next.longitude - before.longitude, to: &writer.bytes)
                before = next
            }
        }
        return writer.bytes
    }

    /// Decodes a region, and validates its shape.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> Content {
        guard bytes.count >= 3 else { throw .tooShort }
        guard bytes[0] == version else { throw .version(bytes[0]) }
        let (flags, decimals) = (bytes[1], bytes[2])
        guard flags & ~allBits == 0, flags & shapeBits != 3 else { throw .unknownBits }
        guard decimals <= mostDecimals || decimals == rawCoordinates else { throw .number }
        var reader = Reader(bytes: bytes, offset: 3)
        let power: Double? = flags & hasRawLengths == 0 ? 1_000 : nil
        let dwell = flags & hasDwell == 0 ? 0 : try reader.number(power)
        let loitering = flags & hasLoitering == 0 ? nil : try reader.number(power)
        let isTime = dwell >= 0 && dwell.isFinite && loitering ?? 0 >= 0 && (loitering ?? 0).isFinite
        guard isTime, flags & hasDwell == 0 || dwell != 0 else { throw .number }
        reader.power = decimals == rawCoordinates ? nil : powers[Int(decimals)]
        let shape: Region.Shape
        switch flags & shapeBits {
        case 0:
            let radius = try reader.number(power)
            shape = .circle(center: try reader.coordinate(), radius: radius)
        case 1:
            var rings: [[Coordinate]] = []
            for _ in 0..<(try reader.count(bytesOfEach: 1)) { rings.append(try reader.line()) }
            shape = .polygon(rings: rings)
        default:
            let halfWidth = try reader.number(power)
            shape = .corridor(line: try reader.line(), halfWidth: halfWidth)
        }
        guard reader.offset == bytes.count else { throw .tooLong }
        do throws(RegionError) {
            return Content(region: try Region(shape), dwell: dwell, loitering: loitering)
        } catch {
            throw .shape
        }
    }

    /// The fewest decimals with which every coordinate is exact.
    private static func decimals(of rings: [[Coordinate]]) -> UInt8 {
        var decimals: UInt8 = 0
        for ring in rings {
            for point in ring {
                for value in [point.latitude, point.longitude] {
                    while !isWhole(value, of: powers[Int(decimals)], atMost: 1e12) {
                        decimals += 1
                        if decimals > mostDecimals { return rawCoordinates }
                    }
                }
            }
        }
        return decimals
    }

    /// Whether a whole number of these parts has exactly this value.
    private static func isWhole(_ value: Double, of power: Double, atMost most: Double) -> Bool {
        let scaled = (value * power).rounded()
        return abs(scaled) <= most && scaled / power == value
    }

    private struct Writer {
        var bytes: [UInt8]

        mutating func append(_ value: Double, power: Double?) {
            if let power {
                LEB128.append(Int64((value * power).rounded()), to: &bytes)
            } else {
                withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var offset: Int
        /// Parts of a degree; nil for coordinates of eight bytes each.
        var power: Double?
        private var before = (latitude: Int64(0), longitude: Int64(0))
        private var points = 0

        init(bytes: UnsafeRawBufferPointer, offset: Int) {
            (self.bytes, self.offset) = (bytes, offset)
        }

        mutating func number(_ power: Double?) throws(PayloadError) -> Double {
            if let power { return Double(try LEB128.decode(bytes, at: &offset)) / power }
            guard bytes.count - offset >= 8 else { throw .tooShort }
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
            return Double(bitPattern: UInt64(littleEndian: bits))
        }

        /// A number of things, of which each has at least some bytes: so no count makes memory that the input has not.
        mutating func count(bytesOfEach size: Int) throws(PayloadError) -> Int {
            let count = try LEB128.decode(bytes, at: &offset)
            guard count >= 0, count <= Int64((bytes.count - offset) / size) else { throw .tooShort }
            return Int(count)
        }

        mutating func coordinate() throws(PayloadError) -> Coordinate {
            let (latitude, longitude): (Double, Double)
            if let power {
                before.latitude = try sum(before.latitude)
                before.longitude = try sum(before.longitude)
                (latitude, longitude) = (Double(before.latitude) / power, Double(before.longitude) / power)
            } else {
                latitude = try number(nil)
                longitude = try number(nil)
            }
            guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .coordinate }
            return coordinate
        }

        private mutating func sum(_ value: Int64) throws(PayloadError) -> Int64 {
            let (sum, isOver) = value.addingReportingOverflow(try LEB128.decode(bytes, at: &offset))
            if isOver { throw .number }
            return sum
        }

        mutating func line() throws(PayloadError) -> [Coordinate] {
            let count = try count(bytesOfEach: power == nil ? 16 : 2)
            points += count
            // Rings may repeat their first points, which the limit of a region does not count.
            guard points <= 2 * Region.maximumPoints else { throw .tooLong }
            var line: [Coordinate] = []
            line.reserveCapacity(count)
            for _ in 0..<count { line.append(try coordinate()) }
            return line
        }
    }
}
