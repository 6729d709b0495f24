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
    /// Whether `wrapped` was made with a former secret of the machine, and is sealed as a whole with the present one until its
    /// own secret is presented: see `carried`.
    public let isCarried: Bool

    /// The size of `wrapped`.
    static let wrappedSize = SymmetricKey.size + SymmetricKey.overhead
    /// The size of `wrapped` in a carried slot.
    static let carriedSize = SymmetricKey.size + wrappedSize + SymmetricKey.overhead

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
        let key = try Self.key(of: secret, kind, Self.mix(file))
        self.init(number: number, kind: kind, wrapped: key.wrap(root, context: Self.context(number, kind, file.name)))
    }

    init(number: Int, kind: Kind, wrapped: [UInt8], isCarried: Bool = false) {
        self.number = number
        self.kind = kind
        self.wrapped = wrapped
        self.isCarried = isCarried
    }

    /// The slot for another secret of the machine, without the secret of the slot: what the former secret of the machine
    /// contributed to the slot's key, and the wrapped key itself, are sealed together with the present one. Whoever has the former
    /// secret of the machine and the new file has neither. Nil if a carried slot was changed.
    func carried(from former: KeyFile.Identity, to machine: SymmetricKey) throws(SystemError) -> Keyslot? {
        guard let parts = try parts(former) else { return nil }
        let sealed = try Self.carrier(machine).seal(
            parts.mix + parts.wrapped, context: Self.context(number, kind, former.name))
        return Keyslot(number: number, kind: kind, wrapped: sealed, isCarried: true)
    }

    /// The same slot with nothing of a former secret of the machine, for the secret that has just opened it.
    func settled(
        _ root: SymmetricKey, for secret: UnlockSecret, _ file: KeyFile.Identity
    ) throws(SystemError) -> Keyslot {
        let key = try Self.key(of: secret, kind, Self.mix(file))
        return Keyslot(
            number: number, kind: kind, wrapped: key.wrap(root, context: Self.context(number, kind, file.name)))
    }

    /// What the machine's secret contributes to the slot's key, and the wrapped root key.
    private func parts(_ file: KeyFile.Identity) throws(SystemError) -> (mix: [UInt8], wrapped: [UInt8])? {
        guard isCarried else { return (Self.mix(file), wrapped) }
        let context = Self.context(number, kind, file.name)
        guard let parts = try Self.carrier(file.machine).open(wrapped, context: context) else { return nil }
        return (Array(parts.prefix(SymmetricKey.size)), Array(parts.dropFirst(SymmetricKey.size)))
    }

    /// The key that seals carried slots.
    private static func carrier(_ machine: SymmetricKey) throws(SystemError) -> SymmetricKey {
        try machine.derived(for: "waymark carried ")
    }

    /// The code of the machine's secret over the file, which is the message that the slot's own key hashes.
    private static func mix(_ file: KeyFile.Identity) -> [UInt8] {
        file.machine.code(for: "waymark slot mix", of: file.name)
    }

    /// The root key, if the secret is the one of this slot.
    func open(with secret: UnlockSecret, _ file: KeyFile.Identity) throws(SystemError) -> SymmetricKey? {
        switch (secret, kind) {
        case (.passphrase, .passphrase), (.recovery, .recovery), (.credential, .credential): break
        default: return nil
        }
        guard let parts = try parts(file) else { return nil }
        return try Self.key(of: secret, kind, parts.mix).unwrap(
            parts.wrapped, context: Self.context(number, kind, file.name))
    }

    /// The key that wraps the root key. The machine's secret is mixed in, so that a copied disk cannot be attacked
    /// elsewhere.
    private static func key(
        of secret: UnlockSecret, _ kind: Kind, _ mix: [UInt8]
    ) throws(SystemError) -> SymmetricKey {
        let own: SymmetricKey
        switch (secret, kind) {
        case (.passphrase(let text), .passphrase(let hash)): own = try hash.key(of: text)
        case (.recovery(let key), _), (.credential(let key), _): own = key
        case (.passphrase, _): throw SystemError("derive a key from a passphrase", code: EINVAL)
        }
        return try own.derived(for: "waymark key slot", mix)
    }

    private static func context(_ number: Int, _ kind: Kind, _ file: [UInt8]) -> [UInt8] {
        var context = Array("waymark key slot \(number) \(kind.word)".utf8)
        if case .passphrase(let hash) = kind {
            context += Array(" \(hash.passes) \(hash.memory) ".utf8) + hash.salt
        }
        return context + file
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
