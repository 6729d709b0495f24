import Cryptography
import Platform

/// A key of an account with which values of encrypted fields are sealed. The hub never has it.
struct AccountKey: Sendable {
    /// The name of a key: 8 bytes that are computed from it and reveal nothing about it.
    struct Name: Hashable, Sendable {
        static let size = 8
        let bytes: [UInt8]

        /// Nil for another number of bytes.
        init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count == Self.size else { return nil }
            self.bytes = Array(bytes)
        }
    }

    let key: SymmetricKey
    let name: Name

    init(_ key: SymmetricKey) {
        self.key = key
        guard let name = Name(key.code(for: "waymark key name", of: []).prefix(Name.size)) else {
            preconditionFailure("a code is longer than a name")
        }
        self.name = name
    }

    static func random() throws(SystemError) -> AccountKey { AccountKey(try SymmetricKey.random()) }
}
