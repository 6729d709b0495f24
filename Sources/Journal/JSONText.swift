/// Writes JSON strings, RFC 8259 section 7.
enum JSONText {
    /// Appends the text in quotation marks, with what JSON does not allow in a string escaped.
    static func append(_ value: String, to text: inout String) {
        text += "\""
        defer { text += "\"" }
        // Nearly every text has nothing to escape.
        guard value.utf8.contains(where: isSpecial) else { return text += value }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}":
                let hexadecimal = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hexadecimal.utf8.count) + hexadecimal
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
