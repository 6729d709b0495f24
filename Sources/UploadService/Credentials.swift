import Cryptography
import Platform
import Upload

/// What the destination knows the sender by, and what positions are sealed with: the secrets themselves.
///
/// They have no text and no mirror, so that no log line and no error can show them.
public struct Credentials: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Who the sender is.
    public enum Identity: Sendable {
        /// Nobody in particular.
        case none
        /// A user and a password with a colon between: HTTP's Basic, RFC 7617, or MQTT's.
        case basic(Secret)
        /// A token, RFC 6750.
        case bearer(Secret)
        /// A certificate with its key in PEM.
        case certificate(Secret)
    }

    /// Who the sender is.
    public var identity = Identity.none
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

extension Credentials.Identity: Equatable {
    /// Whether two are the same secret of the same kind.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.basic(let left), .basic(let right)), (.bearer(let left), .bearer(let right)),
            (.certificate(let left), .certificate(let right)):
            left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
        case (.none, _), (.basic, _), (.bearer, _), (.certificate, _): false
        }
    }
}
