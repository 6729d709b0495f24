import Cryptography
import Platform
import Upload

/// What the destination knows the sender by, and what positions are sealed with: the secrets themselves.
///
/// They have no text and no mirror, so that no log line and no error can show them.
public struct Credentials: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Who the sender is.
    public var identity = Credential.none
    /// The address with the secret in its place; nil where it has none.
    public var url: DestinationURL?
    /// What OwnTracks' messages are sealed with; nil where they are not.
    public var box: SecretBox?

    /// Nobody in particular, and nothing is sealed.
    public init() {}

    /// Nothing of them.
    public var description: String { "credentials" }

    /// Nothing of them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
