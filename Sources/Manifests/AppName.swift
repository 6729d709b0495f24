/// The id of an app: the name of its manifest without `.app`.
public enum AppName {
    /// What an id may be, for a person.
    public static let allowed = "letters, digits, . _ and -, at most 128, beginning with a letter or digit, without .."

    /// Whether a text may be the id of an app.
    public static func isValid(_ text: String) -> Bool {
        guard (1...128).contains(text.utf8.count), let first = text.utf8.first, isLetterOrDigit(first) else {
            return false
        }
        var last: UInt8 = 0
        for byte in text.utf8 {
            let isMark = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            guard isLetterOrDigit(byte) || isMark, !(byte == UInt8(ascii: ".") && last == byte) else { return false }
            last = byte
        }
        return true
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (97...122).contains(byte | 0x20) || (48...57).contains(byte)
    }
}
