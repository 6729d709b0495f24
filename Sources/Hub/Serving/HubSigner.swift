import Cryptography
import Records

/// Signs change tokens with the hub's key, as Documentation/sync.md describes.
struct HubSigner: TokenSigner {
    let key: SymmetricKey

    func code(of message: [UInt8]) -> [UInt8] { key.code(for: "waymark sync tok", of: message) }
    func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool { code.isSameCode(as: self.code(of: message)) }
    func digest(of message: [UInt8]) -> [UInt8] { Digest.digest(of: message) }
}
