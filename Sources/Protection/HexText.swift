/// Bytes as hexadecimal digits, two for each byte, in lower case.
enum HexText {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The digits of bytes.
    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes of digits; nil if the text is anything else.
    static func bytes(of text: String) -> [UInt8]? {
        let values = text.utf8.compactMap { digit in digits.firstIndex(of: digit) }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
