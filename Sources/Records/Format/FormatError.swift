import JSONText

/// The reason why a JSON text is no request, record or value. It names a place in the text and nothing of its content but
/// names of members.
public struct FormatError: Error, Equatable, CustomStringConvertible {
    /// The kind of error.
    public enum Problem: Equatable, Sendable {
        /// The text is not JSON.
        case notJSON(JSONError)
        /// A member is missing.
        case missing
        /// A member is not known.
        case unknownMember
        /// A value of another kind was expected.
        case wrongKind
        /// A name, tag, key or word is not one of those permitted.
        case invalidName
        /// A number, digest or size is out of range.
        case outOfRange
        /// The bytes are not base64.
        case notBase64
        /// An index of an encrypted field, which the hub cannot compare.
        case encryptedIndex
        /// More than a limit permits.
        case tooLarge(Limits.Subject)
    }

    /// The place: names of members and indices, separated by dots.
    public let path: String
    /// The kind of error.
    public let problem: Problem

    /// An error at a place.
    public init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// The place and the error.
    public var description: String {
        let words: String =
            switch problem {
            case .notJSON(let error): "\(error)"
            case .missing: "is missing"
            case .unknownMember: "is not known here"
            case .wrongKind: "has a value of the wrong kind"
            case .invalidName: "is no valid name"
            case .outOfRange: "is out of range"
            case .notBase64: "is not base64"
            case .encryptedIndex: "is encrypted, so that it can have no index"
            case .tooLarge(let subject): "exceeds the limit \(subject.rawValue)"
            }
        return path.isEmpty ? words : "\(path) \(words)"
    }
}
