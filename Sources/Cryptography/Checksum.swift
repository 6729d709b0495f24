import CSodium

/// Unkeyed BLAKE2b, crypto_generichash_blake2b: against accidents, not against somebody who may write the file.
public enum Checksum {
    /// How many bytes it has.
    public static let size = 16

    /// The bytes with their checksum behind them.
    public static func appended(to bytes: [UInt8]) -> [UInt8] { bytes + checksum(of: bytes) }

    /// The bytes without the checksum behind them; nil where it does not fit them.
    public static func removed(from bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= size else { return nil }
        let body = Array(bytes.dropLast(size))
        return checksum(of: body) == Array(bytes.suffix(size)) ? body : nil
    }

    private static func checksum(of bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: size)
        // Cannot fail: the length is a constant within the function's bounds.
        _ = crypto_generichash_blake2b(&output, output.count, bytes, UInt64(bytes.count), nil, 0)
        return output
    }
}
