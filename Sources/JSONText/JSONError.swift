/// Why bytes are not the JSON that is accepted here.
public struct JSONError: Error, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Equatable, Sendable {
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// More arrays and objects within each other than allowed.
        case tooDeep
        /// More values than allowed.
        case tooManyValues
        /// A character that no JSON token begins with, or a literal that is not `true`, `false` or `null`.
        case unexpectedCharacter
        /// A control character within a string that is not escaped.
        case controlCharacter
        /// A backslash that is followed by nothing JSON knows.
        case invalidEscape
        /// Half of a surrogate pair.
        case loneSurrogate
        /// U+0000 within a member's name.
        case nullInKey
        /// A number that is not written as RFC 8259 has it.
        case invalidNumber
        /// An integer beyond 64 bits, or a number beyond a double.
        case numberOutOfRange
        /// Text that ends before its value does.
        case unfinished
        /// Tokens in an order that makes no value.
        case structure
    }

    /// What is wrong.
    public let reason: Reason
    /// Where, in bytes from the beginning.
    public let offset: Int

    /// An error of this kind at this byte.
    public init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// What and where, in words without any of the text.
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
