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
    public var text: String { String(incarnation, radix: 16) + "-" + String(counter, radix: 16) }

    /// The tag of a text; nil for a text that is none.
    public init?(_ text: String) {
        var numbers: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var isSecond = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "-"), !isSecond, digits > 0 {
                (isSecond, digits) = (true, 0)
                numbers.0 = numbers.1
                numbers.1 = 0
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            // There is one text for a tag: no zeros precede a number.
            guard digits < 16, digits == 0 || numbers.1 != 0 else { return nil }
            numbers.1 = numbers.1 << 4 | UInt64(digit)
            digits += 1
        }
        guard isSecond, digits > 0 else { return nil }
        self.init(incarnation: numbers.0, counter: numbers.1)
    }
}
