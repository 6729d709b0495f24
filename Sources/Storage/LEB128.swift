/// Whole numbers in as few bytes as possible: seven bits a byte, the lowest first, the eighth bit set in all bytes but
/// the last; the sign is the lowest bit (DWARF 5 section 7.6, and zigzag as in Protocol Buffers).
package enum LEB128 {
    /// No number has more bytes.
    package static let longest = 10

    /// Adds a number's bytes.
    package static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// The number at an offset, which is moved to the end of the number.
    package static func decode(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) throws(PayloadError) -> Int64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = UInt64(bytes[offset])
            offset += 1
            // Only one bit remains for the tenth byte.
            if shift == 63, byte > 1 { throw .number }
            value |= (byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
            shift += 7
        }
        throw .tooShort
    }
}
