import Cryptography
import Location
import Platform

/// The key of a class of protection, wrapped with a key that is derived from the root key.
struct ClassKey: Equatable, Sendable {
    /// The class.
    let protection: ProtectionClass
    /// The public key of a class that is written while the machine is locked; absent for the others.
    let publicKey: SealingKeyPair.PublicKey?
    /// The key, or the private key of the pair, sealed.
    let wrapped: [UInt8]

    init(protection: ProtectionClass, publicKey: SealingKeyPair.PublicKey?, wrapped: [UInt8]) {
        self.protection = protection
        self.publicKey = publicKey
        self.wrapped = wrapped
    }

    /// Makes a key for a class, and wraps it.
    init(making protection: ProtectionClass, root: SymmetricKey, _ file: [UInt8]) throws(SystemError) {
        let key = try SymmetricKey.random()
        let publicKey = protection == .completeUnlessOpen ? SealingKeyPair(privateKey: key)?.publicKey : nil
        let wrapped = try Self.wrappingKey(root).wrap(key, context: Self.context(protection, publicKey, file))
        self.init(protection: protection, publicKey: publicKey, wrapped: wrapped)
    }

    /// The key, or the private key of the pair; nil if it was changed.
    func open(root: SymmetricKey, _ file: [UInt8]) throws(SystemError) -> SymmetricKey? {
        let key = try Self.wrappingKey(root).unwrap(wrapped, context: Self.context(protection, publicKey, file))
        guard let key, let publicKey else { return key }
        return SealingKeyPair(privateKey: key)?.publicKey == publicKey ? key : nil
    }

    private static func wrappingKey(_ root: SymmetricKey) throws(SystemError) -> SymmetricKey {
        try root.derived(for: "waymark classkey")
    }

    private static func context(
        _ protection: ProtectionClass, _ publicKey: SealingKeyPair.PublicKey?, _ file: [UInt8]
    ) -> [UInt8] {
        Array("waymark class key \(protection.word) ".utf8) + (publicKey?.bytes ?? []) + file
    }
}
