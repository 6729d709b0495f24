import Cryptography
import Glibc
import Platform

/// One of the secrets that unlock, and the root key wrapped for it.
public struct Keyslot: Equatable, Sendable {
    /// What the secret is.
    public enum Kind: Equatable, Sendable {
        /// A passphrase of a person, and the parameters of its derivation.
        case passphrase(PassphraseHash)
        /// A recovery key of 24 words.
        case recovery
        /// A credential of the service manager, for machines without a person.
        case credential

        /// The word in the file and in replies.
        public var word: String {
            switch self {
            case .passphrase: "passphrase"
            case .recovery: "recovery"
            case .credential: "credential"
            }
        }
    }

    /// 1, 2, 3 …, unique in a file.
    public let number: Int
    /// What the secret is.
    public let kind: Kind
    /// The root key, sealed.
    let wrapped: [UInt8]

    /// The size of `wrapped`.
    static let wrappedSize = SymmetricKey.size + SymmetricKey.overhead

    /// Wraps the root key for a secret.
    init(_ root: SymmetricKey, number: Int, for secret: UnlockSecret, cost: PassphraseHash, _ file: KeyFile.Identity)
        throws(SystemError)
    {
        let kind: Kind =
            switch secret {
            case .passphrase: .passphrase(cost)
            case .recovery: .recovery
            case .credential: .credential
            }
        let key = try Self.key(of: secret, kind, file)
        self.init(number: number, kind: kind, wrapped: key.wrap(root, context: Self.context(number, kind, file)))
    }

    init(number: Int, kind: Kind, wrapped: [UInt8]) {
        self.number = number
        self.kind = kind
        self.wrapped = wrapped
    }

    /// The root key, if the secret is the one of this slot.
    func open(with secret: UnlockSecret, _ file: KeyFile.Identity) throws(SystemError) -> SymmetricKey? {
        switch (secret, kind) {
        case (.passphrase, .passphrase), (.recovery, .recovery), (.credential, .credential): break
        default: return nil
        }
        return try Self.key(of: secret, kind, file).unwrap(wrapped, context: Self.context(number, kind, file))
    }

    /// The key that wraps the root key. The machine's secret is mixed in, so that a copied disk cannot be attacked
    /// elsewhere.
    private static func key(of secret: UnlockSecret, _ kind: Kind, _ file: KeyFile.Identity) throws(SystemError)
        -> SymmetricKey
    {
        let own: SymmetricKey
        switch (secret, kind) {
        case (.passphrase(let text), .passphrase(let hash)): own = try hash.key(of: text)
        case (.recovery(let key), _), (.credential(let key), _): own = key
        case (.passphrase, _): throw SystemError("derive a key from a passphrase", code: EINVAL)
        }
        // The code of the machine's secret over the file and the slot is the message that the slot's own key hashes.
        let mix = file.machine.code(for: "waymark slot mix", of: file.id)
        return try own.derived(for: "waymark key slot", mix)
    }

    private static func context(_ number: Int, _ kind: Kind, _ file: KeyFile.Identity) -> [UInt8] {
        var context = Array("waymark key slot \(number) \(kind.word)".utf8)
        if case .passphrase(let hash) = kind {
            context += Array(" \(hash.passes) \(hash.memory) ".utf8) + hash.salt
        }
        return context + file.id
    }
}

/// A secret that a person, or the service manager, has presented.
public enum UnlockSecret: Sendable {
    /// A passphrase, UTF-8.
    case passphrase(Secret)
    /// The 32 bytes of a recovery key.
    case recovery(SymmetricKey)
    /// The 32 bytes of a credential.
    case credential(SymmetricKey)
}
