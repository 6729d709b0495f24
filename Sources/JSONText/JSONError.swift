/// The reason why bytes are not accepted as JSON.
public struct JSONError: Error, Equatable, CustomStringConvertible {
    /// The kind of error.
    public enum Reason: Equatable, Sendable {
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// A deeper nesting of arrays and objects than permitted.
        case tooDeep
        /// More values than allowed.
        case tooManyValues
        /// A character that no JSON token begins with, or a literal that is not `true`, `false` or `null`.
        case unexpectedCharacter
        /// A control character within a string that is not escaped.
        case controlCharacter
        /// A backslash followed by a character that JSON does not define.
        case invalidEscape
        /// Half of a surrogate pair.
        case loneSurrogate
        /// U+0000 within a member's name.
        case nullInKey
        /// A number that is not written according to RFC 8259.
        case invalidNumber
        /// An integer beyond 64 bits, or a number beyond a double.
        case numberOutOfRange
        /// Text that ends before its value.
        case unfinished
        /// Tokens in an order that forms no value.
        case structure
    }

    /// The kind of error.
    public let reason: Reason
    /// The offset in bytes from the beginning.
    public let offset: Int

    /// An error of this kind at this byte.
    public init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The error and its offset, without any of the text.
    public var description: String { "\(words) at byte \(offset)" }

    private var words: String {
        switch reason {
        case .invalidUTF8: "bytes that are not UTF-8"
        case .tooDeep: "nested too deep"
        case .tooManyValues: "too many values"
        case .unexpectedCharacter: "an unexpected character"
        case .controlCharacter: "a control character in a string"
        case .invalidEscape: "an invalid escape"
        case .loneSurrogate: "half of a surrogate pair"
        case .nullInKey: "U+0000 in a name"
        case .invalidNumber: "an invalid number"
        case .numberOutOfRange: "a number out of range"
        case .unfinished: "an unfinished value"
        case .structure: "misplaced token"
        }
    }
}
