import Cryptography
import Platform
import Upload

/// The secrets of a destination: the credential that authenticates the sender, and the encryption key.
///
/// `description` and `customMirror` reveal nothing, so that no log line and no error can contain a secret.
public struct Credentials: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The credential that authenticates the sender.
    public var identity = Credential.none
    /// The address with its secret inserted; nil for an address without a placeholder.
    public var url: DestinationURL?
    /// The encryption of OwnTracks' messages; nil if they are not encrypted.
    public var box: SecretBox?

    /// No authentication and no encryption.
    public init() {}

    /// A fixed word that reveals nothing.
    public var description: String { "credentials" }

    /// An empty mirror, which reveals nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
