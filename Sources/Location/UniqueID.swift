/// A UUID, RFC 9562.
public struct UniqueID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// The ID with these 128 bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The ID of which all digits are zero, which stands for none: the Nil UUID, RFC 9562 section 5.9.
    public static let zero = UniqueID(high: 0, low: 0)

    /// Parses 8, 4, 4, 4 and 12 hexadecimal digits, separated by hyphens; nil for anything else.
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

    /// An ID of bits that were computed: a UUID of version 8, RFC 9562 section 5.8. Six of the bits are replaced.
    public static func computed(high: UInt64, low: UInt64) -> UniqueID {
        UniqueID(version: 8, high: high, low: low)
    }

    private init(version: UInt64, high: UInt64, low: UInt64) {
        self.init(high: high & ~0xF000 | version << 12, low: low & ~(0b11 << 62) | 0b10 << 62)
    }

    /// Whether it is a UUID of version 4, which is a random number.
    public var isRandom: Bool { high & 0xF000 == 0x4000 && low >> 62 == 0b10 }

    /// A new ID from the system's random numbers: a UUID of version 4, RFC 9562 section 5.4.
    public static func random() -> UniqueID {
        UniqueID(version: 4, high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }
}

extension UniqueID: CustomStringConvertible {
    /// The usual notation of the UUID, in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.length) { text in
            write(to: text)
            return Self.length
        }
    }

    /// The number of characters of the usual notation.
    static let length = 36

    /// Writes the usual notation to the beginning of a buffer, which must have room for it.
    func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        write(high &>> 32, digits: 8, to: text, at: 0)
        write(high &>> 16, digits: 4, to: text, at: 9)
        write(high, digits: 4, to: text, at: 14)
        write(low &>> 48, digits: 4, to: text, at: 19)
        write(low, digits: 12, to: text, at: 24)
        for place in stride(from: 8, through: 23, by: 5) { text[place] = UInt8(ascii: "-") }
    }

    /// Writes the last hexadecimal digits of a number.
    private func write(_ number: UInt64, digits: Int, to text: UnsafeMutableBufferPointer<UInt8>, at place: Int) {
        var rest = number
        for index in stride(from: place + digits - 1, through: place, by: -1) {
            let value = UInt8(truncatingIfNeeded: rest & 15)
            text[index] = value &+ (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            rest &>>= 4
        }
    }
}
