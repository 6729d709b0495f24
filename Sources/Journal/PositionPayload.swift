import Location
import Storage

/// A position as bytes, version 1: Documentation/storage.md has the table.
///
/// Lossless: every number is restored to the same bits. A number that is a decimal fraction, as most of a receiver's
/// are, is stored as a whole number of its smallest step; any other as its eight bytes.
enum PositionPayload {
    /// No payload has more bytes.
    static let longest = headerLength + numberCount * LEB128.longest

    private static let version: UInt8 = 1
    private static let headerLength = 5
    private static let numberCount = 12
    private static let isReduced: UInt8 = 1
    private static let isSimulated: UInt8 = 2
    private static let hasSystemTimestamp: UInt8 = 0x20
    /// The bits of the quality's code: three, starting with the third.
    private static let qualityBits: UInt8 = 0x1C

    /// Appends a position's bytes. Returns false and appends nothing if one of its numbers is not finite.
    static func append(_ position: Position, to bytes: inout [UInt8]) -> Bool {
        let start = bytes.count
        var flags: UInt8 = position.accuracy == .reduced ? isReduced : 0
        if position.isSimulated { flags |= isSimulated }
        if position.timestampSource == .systemClock { flags |= hasSystemTimestamp }
        flags |= position.quality.code << 2
        bytes.append(version)
        bytes.append(flags)
        // The three bytes that describe the numbers, filled in when those are known.
        bytes.append(0)
        bytes.append(0)
        bytes.append(0)
        var writer = NumberWriter()
        writer.append(position.timestamp, .milli, to: &bytes)
        writer.append(position.coordinate.latitude, .nano, to: &bytes)
        writer.append(position.coordinate.longitude, .nano, to: &bytes)
        writer.append(position.horizontalAccuracy, .tenthMilli, to: &bytes)
        writer.append(optional: position.altitude, to: &bytes)
        writer.append(optional: position.ellipsoidalAltitude, to: &bytes)
        writer.append(optional: position.verticalAccuracy, to: &bytes)
        writer.append(optional: position.speed, to: &bytes)
        writer.append(optional: position.speedAccuracy, to: &bytes)
        writer.append(optional: position.course, to: &bytes)
        writer.append(optional: position.courseAccuracy, to: &bytes)
        writer.append(optional: position.climb, to: &bytes)
        guard writer.areAllFinite else {
            bytes.removeSubrange(start...)
            return false
        }
        bytes[start + 2] = UInt8(truncatingIfNeeded: writer.present >> 4)
        bytes[start + 3] = UInt8(truncatingIfNeeded: writer.raw)
        bytes[start + 4] = UInt8(truncatingIfNeeded: writer.raw >> 8)
        return true
    }

    /// Decodes a position.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> Position {
        var reader = try NumberReader(bytes, headerLength: headerLength)
        if bytes[0] != version { throw .version(bytes[0]) }
        let flags = bytes[1]
        let quality = Int((flags & qualityBits) >> 2)
        let known = isReduced | isSimulated | hasSystemTimestamp | qualityBits
        guard quality < FixQuality?.byCode.count, flags & ~known == 0 else { throw .unknownBits }
        reader.present = UInt16(bytes[2]) << 4 | 0xF
        reader.raw = UInt16(bytes[3]) | UInt16(bytes[4]) << 8
        guard reader.raw & ~reader.present == 0 else { throw .unknownBits }
        let timestamp = try reader.number(.milli)
        let latitude = try reader.number(.nano)
        let longitude = try reader.number(.nano)
        let horizontalAccuracy = try reader.number(.tenthMilli)
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .coordinate }
        let position = Position(
            timestamp: timestamp, coordinate: coordinate, horizontalAccuracy: horizontalAccuracy,
            altitude: try reader.optional(), ellipsoidalAltitude: try reader.optional(),
            verticalAccuracy: try reader.optional(), speed: try reader.optional(),
            speedAccuracy: try reader.optional(), course: try reader.optional(),
            courseAccuracy: try reader.optional(), climb: try reader.optional(),
            accuracy: flags & isReduced == 0 ? .full : .reduced, isSimulated: flags & isSimulated != 0,
            quality: FixQuality?.byCode[quality],
            timestampSource: flags & hasSystemTimestamp == 0 ? .receiver : .systemClock)
        try reader.end()
        return position
    }

    /// Decodes only the time of a position.
    static func timestamp(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> Double {
        var reader = try NumberReader(bytes, headerLength: headerLength)
        if bytes[0] != version { throw .version(bytes[0]) }
        reader.present = 0xF
        reader.raw = UInt16(bytes[3]) | UInt16(bytes[4]) << 8
        return try reader.number(.milli)
    }
}

/// The unit in which a number is stored, as a whole number of steps: `rawValue` steps in one.
private enum Step: Double {
    case milli = 1e3
    case tenthMilli = 1e4
    case nano = 1e9
}

/// Writes numbers one after the other, and records the form of each.
private struct NumberWriter {
    var present: UInt16 = 0
    var raw: UInt16 = 0
    var areAllFinite = true
    private var bit: UInt16 = 1

    mutating func append(_ number: Double, _ step: Step, to bytes: inout [UInt8]) {
        present |= bit
        let steps = (number * step.rawValue).rounded()
        // Beyond 2^53 a number of steps is not exact. The same bits have to be restored: a zero may have a sign.
        let whole = abs(steps) <= 0x1p53 ? Int64(steps) : 0
        if (Double(whole) / step.rawValue).bitPattern == number.bitPattern {
            LEB128.append(whole, to: &bytes)
        } else {
            raw |= bit
            areAllFinite = areAllFinite && number.isFinite
            var rest = number.bitPattern
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: rest))
                rest >>= 8
            }
        }
        bit <<= 1
    }

    mutating func append(optional number: Double?, to bytes: inout [UInt8]) {
        if let number { append(number, .tenthMilli, to: &bytes) } else { bit <<= 1 }
    }
}

/// Reads numbers one after the other from untrusted bytes.
private struct NumberReader {
    var present: UInt16 = 0
    var raw: UInt16 = 0
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    private var bit: UInt16 = 1

    init(_ bytes: UnsafeRawBufferPointer, headerLength: Int) throws(PayloadError) {
        if bytes.count < headerLength { throw .tooShort }
        self.bytes = bytes
        offset = headerLength
    }

    mutating func number(_ step: Step) throws(PayloadError) -> Double {
        defer { bit <<= 1 }
        if raw & bit == 0 {
            let steps = try LEB128.decode(bytes, at: &offset)
            return Double(steps) / step.rawValue
        }
        if bytes.count - offset < 8 { throw .tooShort }
        let pattern = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
        let number = Double(bitPattern: pattern)
        if !number.isFinite { throw .number }
        return number
    }

    mutating func optional() throws(PayloadError) -> Double? {
        if present & bit == 0 {
            bit <<= 1
            return nil
        }
        return try number(.tenthMilli)
    }

    func end() throws(PayloadError) {
        if offset < bytes.count { throw .tooLong }
    }
}

extension FixQuality? {
    /// The fix qualities by their codes, which are the indices.
    fileprivate static let byCode: [FixQuality?] = [
        nil, .ordinary, .dgps, .rtkFixed, .rtkFloat, .deadReckoning, .surveyed,
    ]

    /// The index in `byCode`.
    fileprivate var code: UInt8 {
        switch self {
        case nil: 0
        case .ordinary: 1
        case .dgps: 2
        case .rtkFixed: 3
        case .rtkFloat: 4
        case .deadReckoning: 5
        case .surveyed: 6
        }
    }
}
