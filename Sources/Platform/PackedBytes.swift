/// A binary encoding of numbers and byte strings, which one process writes and the next one reads in the same order.
/// Numbers are little-endian; a byte string follows its length.
public struct PackedBytes: Equatable, Sendable {
    /// The bytes written, or those still to be read.
    public private(set) var bytes: ArraySlice<UInt8>

    /// Starts reading these bytes, or writing.
    public init(_ bytes: [UInt8] = []) { self.bytes = bytes[...] }

    /// Appends a number.
    public mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a byte string.
    public mutating func append(_ string: some Collection<UInt8>) {
        append(UInt32(clamping: string.count))
        bytes.append(contentsOf: string)
    }

    /// Appends bytes without their number.
    public mutating func append(bare string: some Collection<UInt8>) { bytes.append(contentsOf: string) }

    /// Reads a number; nil if there are too few bytes.
    public mutating func next<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard bytes.count >= size else { return nil }
        defer { bytes = bytes.dropFirst(size) }
        return bytes.prefix(size).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Reads a byte string; nil if there are too few bytes.
    public mutating func nextString() -> [UInt8]? {
        next(UInt32.self).flatMap { nextBytes(Int($0)) }
    }

    /// Reads this number of bytes; nil if there are too few.
    public mutating func nextBytes(_ count: Int) -> [UInt8]? {
        guard count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }
}
