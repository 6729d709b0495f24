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
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let incarnation = UInt64(parts[0], radix: 16),
            let counter = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(incarnation: incarnation, counter: counter)
        guard self.text == text else { return nil }
    }
}
