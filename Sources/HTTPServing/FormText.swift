/// `name=value&name=value` with percent-encoding, and + for a space: queries and forms of HTML.
public enum FormText {
    /// The pairs, in order.
    public static func pairs(_ bytes: [UInt8]) -> [(name: String, value: String)] {
        bytes.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decode(parts[0]), parts.count > 1 ? decode(parts[1]) : "")
        }
    }

    /// The text of percent-encoded bytes, RFC 3986 section 2.1. A `%` without two digits stands for itself.
    static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = true) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.first.flatMap(digit), let low = rest.dropFirst().first.flatMap(digit) else {
                    decoded.append(byte)
                    continue
                }
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            default: decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
