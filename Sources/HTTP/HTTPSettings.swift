import Platform

/// What all requests of a client have in common: by what the destination knows who sends, and whom this side trusts.
public struct HTTPSettings: Sendable {
    /// By what the destination knows who sends.
    public var credential: Credential
    /// The file of the authorities that are trusted instead of the system's, in PEM; empty for the system's.
    public var authorityFile: String
    /// How long a connection may take to come about, name lookup and TLS included.
    public var connectTimeout: Duration

    /// Settings of these parts.
    public init(
        credential: Credential = .none, authorityFile: String = "", connectTimeout: Duration = .seconds(20)
    ) {
        self.credential = credential
        self.authorityFile = authorityFile
        self.connectTimeout = connectTimeout
    }
}

/// Why a client cannot be made.
public enum HTTPSetupError: Error, Equatable, CustomStringConvertible {
    /// libcurl cannot be used.
    case library
    /// A credential has bytes that cannot stand in a header, is empty, or has no colon where it needs one.
    case unusableCredential
    /// An address or a header would not be what it looks like.
    case malformedRequest
    /// Something of the system's is missing.
    case system(SystemError)

    /// What is wrong, for a person; nothing of the credential.
    public var description: String {
        switch self {
        case .library: "libcurl cannot be used"
        case .unusableCredential:
            "the credential is empty, has no colon after its user, or has characters that no header can have"
        case .malformedRequest: "its address or its head has characters that would make it another one"
        case .system(let error): error.description
        }
    }
}
