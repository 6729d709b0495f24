import Platform
import Upload

/// The settings that all requests of a client share: the sender's credential and the trusted authorities.
public struct HTTPSettings: Sendable {
    /// The credential that authenticates the sender.
    public var credential: Credential
    /// The file of the authorities that are trusted instead of the system's, in PEM; empty for the system's.
    public var authorityFile: String
    /// The time limit for a connection, including name resolution and TLS.
    public var connectTimeout: Duration
    /// The SHA-256 digest of the other side's public key (SubjectPublicKeyInfo), which then is the only thing that the other
    /// side has to prove: neither an authority nor the name of its certificate counts. Nil for authorities.
    public var pinnedKey: [UInt8]?
    /// The longest body of a response, in bytes.
    public var longestAnswer: Int

    /// Settings of these parts.
    public init(
        credential: Credential = .none, authorityFile: String = "", connectTimeout: Duration = .seconds(20),
        pinnedKey: [UInt8]? = nil, longestAnswer: Int = HTTPAnswer.longestBody
    ) {
        self.credential = credential
        self.authorityFile = authorityFile
        self.connectTimeout = connectTimeout
        self.pinnedKey = pinnedKey
        self.longestAnswer = longestAnswer
    }
}

/// The reason why a client cannot be made.
public enum HTTPSetupError: Error, Equatable, CustomStringConvertible {
    /// libcurl cannot be used.
    case library
    /// A credential has bytes that are not allowed in a header, is empty, or lacks a required colon.
    case unusableCredential
    /// A URL or a header has characters that would change the structure of the request.
    case malformedRequest
    /// A system resource is missing.
    case system(SystemError)

    /// The problem, for people; without any part of the credential.
    public var description: String {
        switch self {
        case .library: "libcurl cannot be used"
        case .unusableCredential:
            "the credential is empty, has no colon after its user, or has characters that no header can have"
        case .malformedRequest: "its address or its head has characters that are not allowed there"
        case .system(let error): error.description
        }
    }
}
