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
        String(unsafeUninitializedCapacity: Self.length) { text in
            write(to: text)
            return Self.length
        }
    }

    /// How many characters it is usually written with.
    static let length = 36

    /// Writes the UUID as usual to the beginning of a buffer that has room for it.
    func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        var place = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                text[place] = UInt8(ascii: "-")
                place += 1
            }
            let half = digit < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> (60 - 4 * UInt64(digit & 15)) & 15)
            text[place] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
            place += 1
        }
    }
}
