/// The kind of a JSON value, determined by the first byte of its text.
public enum JSONKind: UInt8, Sendable {
    /// Text in quotation marks.
    case string
    /// A number.
    case number
    /// `true` or `false`.
    case boolean
    /// `null`.
    case null
    /// Members in braces.
    case object
    /// Elements in brackets.
    case array
    /// A word that RFC 8259 does not define, such as `nan`; only a lenient cursor steps over one.
    case word

    /// The kind of value that begins with this byte; nil for a byte that begins none.
    init?(firstByte byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
        case UInt8(ascii: "n"): self = .null
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        default: return nil
        }
    }
}
