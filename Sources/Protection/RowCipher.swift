import Cryptography

/// Seals and opens the rows of one segment. A row is bound to its place: one that is moved to another number, owner, class or
/// segment is not opened.
public struct RowCipher: Sendable {
    private let key: SymmetricKey
    /// The context of all rows of the segment, followed by room for the number of a row.
    private let context: [UInt8]

    init(_ key: SymmetricKey, _ place: Segment.Place) {
        self.key = key
        context = Array("waymark row 1 ".utf8) + place.context + [UInt8](repeating: 0, count: 8)
    }

    /// The bytes by which a sealed row is longer.
    public static let overhead = SymmetricKey.overhead

    /// Seals the payload of a row and appends it to a buffer.
    public func seal(_ payload: Span<UInt8>, number: Int64, appendingTo buffer: inout [UInt8]) {
        key.seal(payload, context: context(of: number).span, appendingTo: &buffer)
    }

    /// The payload of a row; nil if it was changed or moved, or sealed with another key.
    public func open(_ sealed: Span<UInt8>, number: Int64) -> [UInt8]? {
        key.open(sealed, context: context(of: number).span)
    }

    private func context(of number: Int64) -> [UInt8] {
        var context = context
        context.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: number.littleEndian, toByteOffset: bytes.count - 8, as: Int64.self)
        }
        return context
    }
}
