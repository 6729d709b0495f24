/// A secret with which a sender authenticates itself to a destination. It must not appear in a log line or an error.
public enum Credential: Sendable {
    /// No credential.
    case none
    /// A user and a password separated by a colon, for HTTP Basic (RFC 7617) or MQTT. A line feed at the end is not a
    /// part of the password.
    case basic(Secret)
    /// A token, RFC 6750. A line feed at the end is not a part of it.
    case bearer(Secret)
    /// A client certificate for TLS with its chain and its key, in PEM.
    case certificate(Secret)
}

extension Credential: Equatable {
    /// Whether both are the same secret of the same kind.
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
