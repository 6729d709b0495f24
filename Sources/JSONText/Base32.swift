/// Bytes for a person to type: groups of four letters and digits, without those that are mistaken for others (Crockford's base 32).
/// A text may be typed in capital or small letters, with any hyphens and spaces.
public enum Base32 {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The text of bytes, whose number is a multiple of five.
    public static func text(_ bytes: [UInt8]) -> String {
        precondition(bytes.count.isMultiple(of: 5), "five bytes are eight digits")
        let digits = stride(from: 0, to: bytes.count, by: 5).flatMap { start in
            let bits = bytes[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return (0..<8).map { Self.digits[Int(bits >> (35 - 5 * UInt64($0)) & 31)] }
        }
        return stride(from: 0, to: digits.count, by: 4)
            .map { String(decoding: digits[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
    }

    /// The bytes of a typed text; nil if it is not one of so many bytes.
    public static func bytes(of typed: String, count: Int) -> [UInt8]? {
        var values: [UInt8] = []
        for byte in typed.uppercased().utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: " "): continue
            case UInt8(ascii: "O"): values.append(0)
            case UInt8(ascii: "I"), UInt8(ascii: "L"): values.append(1)
            default:
                guard let value = digits.firstIndex(of: byte) else { return nil }
                values.append(UInt8(value))
            }
        }
        guard count.isMultiple(of: 5), values.count == count * 8 / 5 else { return nil }
        return stride(from: 0, to: values.count, by: 8).flatMap { start in
            let bits = values[start..<start + 8].reduce(UInt64(0)) { $0 << 5 | UInt64($1) }
            return (0..<5).map { UInt8(truncatingIfNeeded: bits >> (32 - 8 * UInt64($0))) }
        }
    }
}
