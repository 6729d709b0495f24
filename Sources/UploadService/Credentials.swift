import Cryptography

/// What the destination knows the sender by, and what positions are sealed with: the secrets themselves.
///
/// They have no text and no mirror, so that no log line and no error can show them.
public struct Credentials: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Who the sender is.
    public enum Identity: Equatable, Sendable {
        /// Nobody in particular.
        case none
        /// A user and a password: HTTP's Basic, RFC 7617, or MQTT's.
        case basic(user: String, password: String)
        /// A token, RFC 6750.
        case bearer(String)
        /// A certificate with its key in PEM: the file that holds both, and its contents.
        case certificate(path: String, contents: [UInt8])
    }

    /// Who the sender is.
    public var identity = Identity.none
    /// What OwnTracks' messages are sealed with; nil where they are not.
    public var box: SecretBox?

    /// Nobody in particular, and nothing is sealed.
    public init() {}

    /// Nothing of them.
    public var description: String { "credentials" }

    /// Nothing of them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
