import CSodium

/// Unkeyed BLAKE2b, crypto_generichash_blake2b: protects against accidental damage, not against an attacker who can write
/// the file.
public enum Checksum {
    /// The size in bytes.
    public static let size = 16

    /// The bytes followed by their checksum.
    public static func appended(to bytes: [UInt8]) -> [UInt8] { bytes + checksum(of: bytes) }

    /// The bytes without the checksum at their end; nil if the checksum is wrong.
    public static func removed(from bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= size else { return nil }
        let body = Array(bytes.dropLast(size))
        return checksum(of: body) == Array(bytes.suffix(size)) ? body : nil
    }

    /// The checksum of bytes.
    public static func checksum(of bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: size)
        // Cannot fail: the length is a constant within the function's bounds.
        _ = crypto_generichash_blake2b(&output, output.count, bytes, UInt64(bytes.count), nil, 0)
        return output
    }
}
