import Cryptography
import JSONText
import Platform
import Records

/// Signs with BLAKE2b, as Documentation/sync.md describes.
public struct TestSigner: TokenSigner {
    private let key: SymmetricKey

    /// Signs with this key.
    public init(key: SymmetricKey) { self.key = key }

    /// The key consists of this byte.
    public init(_ byte: UInt8 = 7) throws {
        guard let key = try SymmetricKey(copying: [UInt8](repeating: byte, count: SymmetricKey.size)) else {
            preconditionFailure("the key has the wrong size")
        }
        self.key = key
    }

    /// The code of a message.
    public func code(of message: [UInt8]) -> [UInt8] { key.code(for: "waymark sync tok", of: message) }
    /// Whether a code is that of a message.
    public func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool { code.isSameCode(as: self.code(of: message)) }
    /// Encrypts a message.
    public func seal(_ message: [UInt8], _ place: [UInt8]) -> [UInt8] { key.seal(message, context: place) }
    /// The message; nil if it was sealed with another key or in another place.
    public func open(_ sealed: [UInt8], _ place: [UInt8]) -> [UInt8]? { key.open(sealed, context: place) }
    /// The digest of a message.
    public func digest(of message: [UInt8]) -> [UInt8] { Checksum.checksum(of: message) }
}
