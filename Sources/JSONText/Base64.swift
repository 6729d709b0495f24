/// Bytes as text: RFC 4648 section 4.
public enum Base64 {
    /// The text of bytes, with padding.
    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - UInt32(group.count)))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : 0x3D)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes of a text with padding; nil if it is none.
    public static func bytes(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            let isLast = start + 4 == text.count
            let padding = isLast ? text[start..<(start + 4)].reversed().prefix { $0 == 0x3D }.count : 0
            guard padding <= 2 else { return nil }
            var bits: UInt32 = 0
            for byte in text[start..<(start + 4 - padding)] {
                guard let value = value(of: byte) else { return nil }
                bits = bits << 6 | value
            }
            bits <<= 6 * UInt32(padding)
            for place in 0..<(3 - padding) { bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * UInt32(place)))) }
        }
        return bytes
    }

    /// How many bytes a part of a text has that `text` has written for them; nil for any other part.
    public static func count(in text: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard range.count % 4 == 0 else { return nil }
        guard !range.isEmpty else { return 0 }
        var end = range.upperBound
        while end > range.upperBound - 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        let padding = range.upperBound - end
        var last: UInt32 = 0
        for place in range.lowerBound..<end {
            guard let value = value(of: text[place]) else { return nil }
            last = value
        }
        // The bits of the last digit that belong to no byte are zero.
        guard last & ((1 << (2 * UInt32(padding))) - 1) == 0 else { return nil }
        return range.count / 4 * 3 - padding
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
