import CSodium

/// Unkeyed BLAKE2b of 32 bytes (RFC 7693), crypto_generichash_blake2b: nobody finds two messages with one digest. For secrets
/// only if they are too random to be guessed.
public enum Digest {
    /// The size in bytes.
    public static let size = 32

    /// The digest of a message.
    public static func digest(of message: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: size)
        // Cannot fail: the length is a constant within the function's bounds.
        _ = crypto_generichash_blake2b(&output, output.count, message, UInt64(message.count), nil, 0)
        return output
    }
}
