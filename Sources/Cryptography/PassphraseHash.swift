import CSodium
import Glibc
import Platform

/// The derivation of a key from a passphrase: Argon2id 1.3 (RFC 9106), crypto_pwhash_argon2id(3).
public struct PassphraseHash: Equatable, Sendable {
    /// The size of a salt in bytes, crypto_pwhash_argon2id_SALTBYTES.
    public static let saltSize = 16
    /// The passes that are accepted. More than these would keep the processor busy for minutes.
    public static let passes = 1...16
    /// The bytes of memory that are accepted.
    public static let memory = 8_192...(1 << 30)
    /// The longest passphrase in bytes.
    public static let longest = 1_024

    /// A random number for each passphrase, so that equal passphrases have different keys.
    public let salt: [UInt8]
    /// The number of passes over the memory.
    public let passes: Int
    /// The bytes of memory.
    public let memory: Int

    /// A derivation with these parameters; nil if one is out of its range.
    public init?(salt: [UInt8], passes: Int, memory: Int) {
        guard salt.count == Self.saltSize, Self.passes.contains(passes), Self.memory.contains(memory) else {
            return nil
        }
        self.salt = salt
        self.passes = passes
        self.memory = memory
    }

    /// A derivation with a new salt and libsodium's moderate cost: 256 MiB, 3 passes, about a second.
    public static func moderate() -> PassphraseHash {
        fresh(passes: Int(crypto_pwhash_argon2id_OPSLIMIT_MODERATE), memory: 256 << 20)
    }

    /// A derivation with a new salt and another cost, for tests and small machines; the cost is brought into its range.
    public static func fresh(passes: Int, memory: Int) -> PassphraseHash {
        let passes = min(max(passes, Self.passes.lowerBound), Self.passes.upperBound)
        let memory = min(max(memory, Self.memory.lowerBound), Self.memory.upperBound)
        guard let hash = PassphraseHash(salt: RandomBytes.make(saltSize), passes: passes, memory: memory) else {
            preconditionFailure("the parameters are within their ranges")
        }
        return hash
    }

    /// The key of a passphrase.
    ///
    /// - Throws: ENOMEM if the machine does not have the memory; EINVAL if the passphrase is empty or too long.
    public func key(of passphrase: Secret) throws(SystemError) -> SymmetricKey {
        guard (1...Self.longest).contains(passphrase.count) else {
            throw SystemError("derive a key from a passphrase of no or too many bytes", code: EINVAL)
        }
        let key = try SymmetricKey { output in
            passphrase.withBytes { bytes in
                guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return false }
                return crypto_pwhash_argon2id(
                    output, UInt64(SymmetricKey.size), start, UInt64(bytes.count), salt, UInt64(passes), memory,
                    crypto_pwhash_argon2id_ALG_ARGON2ID13) == 0
            }
        }
        guard let key else { throw SystemError("derive a key from a passphrase", code: ENOMEM) }
        return key
    }
}
