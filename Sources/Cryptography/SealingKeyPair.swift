import CSodium
import Platform

/// An X25519 pair of keys, crypto_box_seal(3): with the public one messages are sealed, with the private one they are opened.
public struct SealingKeyPair: Sendable, CustomStringConvertible, CustomReflectable {
    /// The key that seals. It is no secret, and opens nothing.
    public struct PublicKey: Equatable, Sendable {
        /// 32 bytes.
        public let bytes: [UInt8]

        /// The key of these bytes; nil unless there are 32.
        public init?(_ bytes: [UInt8]) {
            guard bytes.count == Int(crypto_box_PUBLICKEYBYTES), SymmetricKey.isReady else { return nil }
            self.bytes = bytes
        }

        /// Seals a key for the owner of the private key. The sender cannot open it again. Nil if this public key is one
        /// of the few numbers that libsodium refuses, because anybody could open what is sealed with them.
        public func seal(_ key: SymmetricKey, context: [UInt8]) -> [UInt8]? {
            // A sealed box authenticates no context, so that its digest is sealed together with the key.
            let message = SealedKey.size
            var sealed = [UInt8](repeating: 0, count: message + SealedKey.overhead)
            var plain = [UInt8](repeating: 0, count: message)
            key.withPointer { bytes in
                plain.withUnsafeMutableBufferPointer { plain in
                    _ = plain.update(fromContentsOf: UnsafeBufferPointer(start: bytes, count: SymmetricKey.size))
                }
            }
            plain.replaceSubrange(SymmetricKey.size..., with: SealedKey.digest(of: context))
            let status = crypto_box_seal(&sealed, plain, UInt64(message), bytes)
            sodium_memzero(&plain, plain.count)
            return status == 0 ? sealed : nil
        }
    }

    /// The layout of what is sealed: a key, and the digest of its context.
    private enum SealedKey {
        static let digestSize = 32
        static let size = SymmetricKey.size + digestSize
        /// The bytes by which a sealed box is longer, crypto_box_sealbytes(3).
        static let overhead = crypto_box_sealbytes()

        static func digest(of context: [UInt8]) -> [UInt8] {
            var output = [UInt8](repeating: 0, count: digestSize)
            // Cannot fail: the length is a constant within the function's bounds.
            _ = crypto_generichash_blake2b(&output, digestSize, context, UInt64(context.count), nil, 0)
            return output
        }
    }

    /// The key that seals.
    public let publicKey: PublicKey
    /// The key that opens.
    public let privateKey: SymmetricKey

    /// The pair of a private key, crypto_scalarmult_base(3).
    public init?(privateKey: SymmetricKey) {
        var bytes = [UInt8](repeating: 0, count: Int(crypto_box_PUBLICKEYBYTES))
        guard privateKey.withPointer({ crypto_scalarmult_base(&bytes, $0) }) == 0, let publicKey = PublicKey(bytes)
        else { return nil }
        self.publicKey = publicKey
        self.privateKey = privateKey
    }

    /// The key that was sealed for this pair; nil if it was sealed for another one or another context, or was changed.
    public func open(_ sealed: [UInt8], context: [UInt8]) throws(SystemError) -> SymmetricKey? {
        guard sealed.count == SealedKey.size + SealedKey.overhead else { return nil }
        var plain = [UInt8](repeating: 0, count: SealedKey.size)
        defer { sodium_memzero(&plain, plain.count) }
        let status = privateKey.withPointer {
            crypto_box_seal_open(&plain, sealed, UInt64(sealed.count), publicKey.bytes, $0)
        }
        guard status == 0, Array(plain[SymmetricKey.size...]).isSameCode(as: SealedKey.digest(of: context)) else {
            return nil
        }
        return try SymmetricKey { room in
            room.update(from: plain, count: SymmetricKey.size)
            return true
        }
    }

    /// The key that only the owners of both private keys can compute, crypto_box_beforenm(3), derived for a purpose with a message.
    /// Nil for a public key that libsodium refuses.
    public func shared(
        with other: PublicKey, for purpose: StaticString, _ message: [UInt8]
    ) throws(SystemError) -> SymmetricKey? {
        let common = try SymmetricKey { room in
            privateKey.withPointer { crypto_box_beforenm(room, other.bytes, $0) == 0 }
        }
        return try common?.derived(for: purpose, message)
    }

    /// A fixed text that reveals nothing.
    public var description: String { "a pair of keys" }

    /// An empty mirror, which reveals nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
