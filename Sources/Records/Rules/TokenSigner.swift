/// What authenticates change tokens and identifies requests, with a key that only the hubs of one installation have.
///
/// A hub that is restored from a backup needs a new key: its counters repeat numbers that clients have seen.
public protocol TokenSigner: Sendable {
    /// The authentication code of a message.
    func code(of message: [UInt8]) -> [UInt8]
    /// Whether a code is that of a message, in a time that does not depend on the bytes. A signer whose key was changed may
    /// accept codes of the previous key.
    func isCode(_ code: [UInt8], of message: [UInt8]) -> Bool
    /// Encrypts a message that only a signer with the same key opens, in the same place.
    func seal(_ message: [UInt8], _ place: [UInt8]) -> [UInt8]
    /// The message; nil if it was sealed with another key or in another place, or a byte was changed.
    func open(_ sealed: [UInt8], _ place: [UInt8]) -> [UInt8]?
    /// A digest of a message, for which nobody finds two messages.
    func digest(of message: [UInt8]) -> [UInt8]
}

extension TokenSigner {
    /// The key with which the devices of an account compute its identifiers, 32 bytes. Nobody else can compute it, and it is not the
    /// code of any message.
    public func identifierKey(of account: AccountID) -> [UInt8] {
        digest(of: code(of: Array("waymark account identifiers 1 \(account.text)".utf8)))
    }
}
