import Cryptography
import JSONText
import Platform
import Records

/// A secret of a machine that is not trusted yet: a person carries it to a trusted machine, and the hub never has it. With it each of
/// the two machines recognizes the other one's key. It has 120 bits, because the hub could try codes as long as it wants.
struct PairingCode: Equatable, Sendable {
    static let size = 15
    let bytes: [UInt8]

    /// Nil for another number of bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// The code that a person has typed; nil if it is none.
    init?(typed: String) {
        guard let bytes = Base32.bytes(of: typed, count: Self.size) else { return nil }
        self.bytes = bytes
    }

    static func random() -> PairingCode {
        guard let code = PairingCode(RandomBytes.make(size)) else { preconditionFailure("a code has this size") }
        return code
    }

    /// For a person to type.
    var text: String { Base32.text(bytes) }

    /// What proves to whoever has the code that a public key is that of a device.
    func proof(of member: KeyGeneration.Member, in account: AccountID) throws(SystemError) -> [UInt8] {
        guard let key = try SymmetricKey(copying: Digest.digest(of: "waymark code 1 ".utf8 + bytes)) else {
            preconditionFailure("a digest has the size of a key")
        }
        return key.code(for: "waymark newcomer", of: member.key.bytes + Array("\(account) \(member.name)".utf8))
    }
}
