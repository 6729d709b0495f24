/// By what a destination knows who sends: the secret itself. Nothing that is logged or thrown may have one in it.
public enum Credential: Sendable {
    /// Nothing.
    case none
    /// A user and a password with a colon between, HTTP's Basic, RFC 7617, or MQTT's; a line feed at the end is none of the
    /// password.
    case basic(Secret)
    /// A token, RFC 6750; a line feed at the end is none of it.
    case bearer(Secret)
    /// A certificate, those that lead from it to its authority, and its key, in PEM, for TLS.
    case certificate(Secret)
}

extension Credential: Equatable {
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
