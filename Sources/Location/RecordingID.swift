/// Which recording: a UUID, RFC 9562.
public struct RecordingID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// The recording whose UUID has these 128 bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The recording whose UUID is written so: 8, 4, 4, 4 and 12 hexadecimal digits; nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36, [8, 13, 18, 23].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
        let digits = bytes.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let high = UInt64(String(decoding: digits[..<16], as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits[16...], as: UTF8.self), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// A recording that was never called before: a UUID of version 4, RFC 9562 section 5.4.
    public static func random(using generator: inout some RandomNumberGenerator) -> RecordingID {
        RecordingID(
            high: generator.next() & ~0xF000 | 0x4000, low: generator.next() & ~(0b11 << 62) | 0b10 << 62)
    }

    /// A recording that was never called before, by the system's random numbers.
    public static func random() -> RecordingID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }
}

extension RecordingID: CustomStringConvertible {
    /// The UUID as it is usually written, in small letters.
    public var description: String {
        func hexadecimal(_ number: UInt64, digits: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: digits - text.utf8.count) + text
        }
        return [
            hexadecimal(high >> 32, digits: 8), hexadecimal(high >> 16 & 0xFFFF, digits: 4),
            hexadecimal(high & 0xFFFF, digits: 4), hexadecimal(low >> 48, digits: 4),
            hexadecimal(low & 0xFFFF_FFFF_FFFF, digits: 12),
        ].joined(separator: "-")
    }
}
