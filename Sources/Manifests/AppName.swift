import Authorization

/// The validity of an app id: the name of its manifest without `.app`, or `NAME@INSTANCE` if the manifest is
/// `NAME@.app`.
public enum AppName {
    /// The permitted ids, as text for a person.
    public static let allowed =
        "letters, digits, . _ and -, at most 128, beginning with a letter or digit, without ..; NAME@INSTANCE is an"
        + " instance of the template NAME@"

    /// Whether a text is a valid app id.
    public static func isValid(_ text: String) -> Bool {
        guard let name = InstanceName(text) else { return isPlain(text) }
        return isPlain(String(name.template.dropLast()))
    }

    /// Whether a text is a valid template name.
    public static func isTemplate(_ text: String) -> Bool {
        InstanceName.isTemplate(text) && isPlain(String(text.dropLast()))
    }

    /// Whether a text is a valid name without an instance.
    static func isPlain(_ text: String) -> Bool {
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
