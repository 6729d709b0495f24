/// Percent-encoding of RFC 3986, section 2.1.
public enum PercentEncoding {
    /// Appends a text in which everything but the unreserved characters is encoded. Spaces and plus signs are encoded too, so
    /// that nobody reads a plus sign as a space.
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(upperCaseDigit(byte >> 4))
                bytes.append(upperCaseDigit(byte & 15))
            }
        }
    }

    /// The text as a segment of a path (section 3.3). A segment of dots only is encoded too, because programs remove it from
    /// a path.
    public static func segment(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        if bytes.allSatisfy({ $0 == UInt8(ascii: ".") }) { return String(repeating: "%2E", count: bytes.count) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The digit of a value from 0 to 15. Section 2.1 prefers upper case.
    private static func upperCaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
