import CSodium

/// Encrypts messages with a shared key, crypto_secretbox_easy(3): XSalsa20 and Poly1305.
///
/// `description` and `customMirror` reveal nothing, so that no log line and no error can contain the key.
public struct SecretBox: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The reason why a box cannot be made.
    public enum Failure: Error, Equatable, CustomStringConvertible {
        /// The key is empty.
        case keyIsEmpty
        /// The key has more than `keySize` bytes.
        case keyIsTooLong
        /// libsodium could not start, sodium_init(3).
        case noRandomness

        /// The problem, without any part of the key.
        public var description: String {
            switch self {
            case .keyIsEmpty: "the key is empty"
            case .keyIsTooLong: "the key has more than \(SecretBox.keySize) bytes"
            case .noRandomness: "libsodium cannot start: the system provides no random numbers"
            }
        }
    }

    /// The size of a key in bytes, crypto_secretbox_KEYBYTES.
    public static let keySize = Int(crypto_secretbox_KEYBYTES)

    private let key: [UInt8]

    /// A box with this key. A short key is padded with zeros, as in OwnTracks' apps:
    /// https://owntracks.org/booklet/features/encrypt/.
    public init(zeroPadding key: [UInt8]) throws(Failure) {
        guard sodium_init() >= 0 else { throw .noRandomness }
        guard !key.isEmpty else { throw .keyIsEmpty }
        guard key.count <= Self.keySize else { throw .keyIsTooLong }
        self.key = key + [UInt8](repeating: 0, count: Self.keySize - key.count)
    }

    /// A random nonce followed by the encrypted message.
    public func seal(_ message: [UInt8]) -> [UInt8] {
        let head = Int(crypto_secretbox_NONCEBYTES)
        let count = head + Int(crypto_secretbox_MACBYTES) + message.count
        return [UInt8](unsafeUninitializedCapacity: count) { sealed, initialized in
            guard let start = sealed.baseAddress else { return }
            randombytes_buf(start, head)
            // Cannot fail: all lengths are those of the function.
            _ = crypto_secretbox_easy(start + head, message, UInt64(message.count), start, key)
            initialized = count
        }
    }

    /// Decrypts a message of `seal`; nil for anything else.
    public func open(_ sealed: [UInt8]) -> [UInt8]? {
        let head = Int(crypto_secretbox_NONCEBYTES)
        let overhead = Int(crypto_secretbox_MACBYTES)
        guard sealed.count >= head + overhead else { return nil }
        var message = [UInt8](repeating: 0, count: sealed.count - head - overhead)
        let status = sealed.withUnsafeBufferPointer { sealed -> Int32 in
            guard let start = sealed.baseAddress else { return -1 }
            return crypto_secretbox_open_easy(&message, start + head, UInt64(sealed.count - head), start, key)
        }
        return status == 0 ? message : nil
    }

    /// A fixed text that reveals nothing.
    public var description: String { "a secret box" }

    /// An empty mirror, which reveals nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
