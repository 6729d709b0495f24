/// Bytes as a JSON string has them here: two hexadecimal digits for each byte, in lower case.
public enum HexText {
    /// The digits of bytes.
    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a part of a text is the digits of so many bytes.
    public static func isText(_ text: Span<UInt8>, _ range: Range<Int>, ofBytes count: Int) -> Bool {
        guard range.count == 2 * count else { return false }
        for place in range where value(of: text[place]) == nil { return false }
        return true
    }

    /// The bytes of digits; nil if the text is anything else.
    public static func bytes(of text: String) -> [UInt8]? { bytes(of: text.utf8[...]) }

    /// The same for a part of a text.
    public static func bytes(of text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var first: UInt8?
        for digit in text {
            guard let value = value(of: digit) else { return nil }
            if let high = first {
                bytes.append(high << 4 | value)
                first = nil
            } else {
                first = value
            }
        }
        return first == nil ? bytes : nil
    }

    /// The digit of a value from 0 to 15.
    @inlinable public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The value of a digit; nil for any other character.
    @inlinable public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
