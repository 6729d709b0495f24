import JSONText

/// A version of a record: the state of its zone's counter after the change that made it, which no other change has.
public struct ChangeTag: Hashable, Sendable {
    /// Which of the zones of this name, one after the other, the record is in.
    public let incarnation: UInt64
    /// The counter.
    public let counter: UInt64

    /// A tag of these two.
    public init(incarnation: UInt64, counter: UInt64) {
        self.incarnation = incarnation
        self.counter = counter
    }

    /// The tag as clients see it, opaque to them: two numbers in hexadecimal digits.
    public var text: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(33)
        Self.append(incarnation, to: &digits)
        digits.append(UInt8(ascii: "-"))
        Self.append(counter, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    private static func append(_ number: UInt64, to digits: inout [UInt8]) {
        let count = max((64 - number.leadingZeroBitCount + 3) / 4, 1)
        for place in (0..<count).reversed() {
            digits.append(HexText.digit(UInt8(truncatingIfNeeded: number >> (4 * UInt64(place))) & 15))
        }
    }

    /// The tag of a text; nil for a text that is none.
    public init?(_ text: String) {
        var digits = Digits()
        for byte in text.utf8 where !digits.append(byte) { return nil }
        guard let tag = digits.tag else { return nil }
        self = tag
    }

    /// Whether a part of a text is a tag.
    static func isTag(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var digits = Digits()
        for place in range where !digits.append(text[place]) { return false }
        return digits.tag != nil
    }

    /// What was read of a text.
    private struct Digits {
        private var first: UInt64 = 0
        private var number: UInt64 = 0
        private var count = 0
        private var isSecond = false

        /// Reads one more byte; returns whether the text may be a tag.
        mutating func append(_ byte: UInt8) -> Bool {
            if byte == UInt8(ascii: "-"), !isSecond, count > 0 {
                (first, number, count, isSecond) = (number, 0, 0, true)
                return true
            }
            guard let digit = HexText.value(of: byte) else { return false }
            // There is one text for a tag: no zeros precede a number.
            guard count < 16, count == 0 || number != 0 else { return false }
            number = number << 4 | UInt64(digit)
            count += 1
            return true
        }

        var tag: ChangeTag? { isSecond && count > 0 ? ChangeTag(incarnation: first, counter: number) : nil }
    }
}
