import CSodium
import Glibc
import Platform

/// A secret key of 32 bytes, in locked memory that is excluded from core dumps and zeroed when the last reference ends.
public struct SymmetricKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The size in bytes: that of every key of libsodium used here.
    public static let size = 32
    /// The size in bytes of a nonce, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES.
    static let nonceSize = 24
    /// The bytes by which a sealed message is longer: the nonce before it and the tag after it.
    public static let overhead = nonceSize + 16
    /// Whether libsodium is ready, sodium_init(3). It may be called more than once.
    static let isReady = sodium_init() >= 0

    /// The bytes.
    let secret: Secret

    /// The key in these bytes; nil unless there are 32.
    public init?(_ secret: Secret) {
        guard secret.count == Self.size, Self.isReady else { return nil }
        self.secret = secret
    }

    /// The key of these bytes, which are copied into locked memory; nil unless there are 32. The caller erases its own copy.
    public init?(copying bytes: [UInt8]) throws(SystemError) {
        let secret = try Secret(capacity: bytes.count) { room throws(SystemError) in
            room.copyBytes(from: bytes)
            return bytes.count
        }
        self.init(secret)
    }

    /// A key that a function writes into locked memory; nil if the function fails.
    init?(writing fill: (UnsafeMutablePointer<UInt8>) -> Bool) throws(SystemError) {
        guard Self.isReady else { throw SystemError("start libsodium: no random numbers", code: EIO) }
        var isWritten = false
        secret = try Secret(capacity: Self.size) { room throws(SystemError) in
            let bytes = room.bindMemory(to: UInt8.self)
            isWritten = bytes.baseAddress.map(fill) ?? false
            return Self.size
        }
        guard isWritten else { return nil }
    }

    /// A new random key, randombytes_buf(3).
    public static func random() throws(SystemError) -> SymmetricKey {
        let key = try SymmetricKey { bytes in
            randombytes_buf(bytes, size)
            return true
        }
        guard let key else { throw SystemError("make a key", code: EIO) }
        return key
    }

    /// The key that is derived from this one for a purpose: BLAKE2b (RFC 7693) with this key, the purpose of exactly 16
    /// bytes as its personalization, and a message.
    public func derived(for purpose: StaticString, _ message: [UInt8] = []) throws(SystemError) -> SymmetricKey {
        let key = try SymmetricKey { output in hash(message, for: purpose, into: output) }
        guard let key else { throw SystemError("derive a key", code: EINVAL) }
        return key
    }

    /// The authentication code of a message: 32 bytes, computed as the bytes of the key that `derived` makes.
    public func code(for purpose: StaticString, of message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.size) { output, count in
            guard let start = output.baseAddress else { return }
            _ = hash(message, for: purpose, into: start)
            count = Self.size
        }
    }

    private func hash(_ message: [UInt8], for purpose: StaticString, into output: UnsafeMutablePointer<UInt8>) -> Bool {
        precondition(purpose.utf8CodeUnitCount == Int(crypto_generichash_blake2b_PERSONALBYTES))
        return withPointer { key in
            crypto_generichash_blake2b_salt_personal(
                output, Self.size, message, UInt64(message.count), key, Self.size, nil, purpose.utf8Start) == 0
        }
    }

    /// Passes the address of the bytes to `body`; it is valid only within that call.
    func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        let bytes = secret.borrowed.bindMemory(to: UInt8.self)
        guard let start = bytes.baseAddress else { preconditionFailure("a key has bytes") }
        return body(start)
    }

    /// Passes a copy of the bytes in ordinary memory to `body`, and zeroes the copy afterwards. For keys that are shown to a person or
    /// sealed with another key.
    public func withCopy<Result, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var bytes = secret.withBytes { Array($0) }
        defer { sodium_memzero(&bytes, bytes.count) }
        return try body(bytes)
    }

    /// Whether two keys are the same, in a time that does not depend on the bytes, sodium_memcmp(3).
    public func isEqual(to other: SymmetricKey) -> Bool {
        withPointer { mine in other.withPointer { sodium_memcmp(mine, $0, Self.size) == 0 } }
    }

    /// A fixed text that reveals nothing.
    public var description: String { "a key" }

    /// An empty mirror, which reveals nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension [UInt8] {
    /// Whether two codes are the same, in a time that does not depend on the bytes, sodium_memcmp(3).
    public func isSameCode(as other: [UInt8]) -> Bool {
        count == other.count && sodium_memcmp(self, other, count) == 0
    }
}
