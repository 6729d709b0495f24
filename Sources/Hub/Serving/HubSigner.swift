import Cryptography
import Records

/// Signs change tokens and seals the cursors of queries with the hub's key, as Documentation/sync.md describes.
struct HubSigner: TokenSigner {
    let key: SymmetricKey

    func code(of message: [UInt8]) -> [UInt8] { key.code(for: "waymark sync tok", of: message) }
    func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool { code.isSameCode(as: self.code(of: message)) }
    func seal(_ message: [UInt8], _ place: [UInt8]) -> [UInt8] { key.seal(message, context: place) }
    func open(_ sealed: [UInt8], _ place: [UInt8]) -> [UInt8]? { key.open(sealed, context: place) }
    func digest(of message: [UInt8]) -> [UInt8] { Digest.digest(of: message) }
}
