/// Steps over a JSON text in the form in which `JSONWriter` writes it: without white space, and with members in a known order.
/// It copies nothing, and allocates nothing but for strings with escapes.
///
/// Each step returns whether the text goes on as expected. Whoever gets `false` or nil reads the text with `JSONDocument`, which
/// accepts every form; what is accepted here is accepted there too. The text is passed to every call and must be the same each
/// time, and it must be UTF-8.
public struct WrittenJSON: Sendable {
    /// The position, in bytes from the beginning of the text.
    public private(set) var offset: Int

    /// Begins at an offset.
    public init(at offset: Int = 0) { self.offset = offset }

    /// Whether nothing follows.
    public func isAtEnd(of text: Span<UInt8>) -> Bool { offset == text.count }

    /// Steps over these bytes, if they follow.
    public mutating func accept(_ word: StaticString, in text: Span<UInt8>) -> Bool {
        guard text.contains(word, at: offset) else { return false }
        offset += word.utf8CodeUnitCount
        return true
    }

    /// Steps over a string without escapes, and returns its range without quotation marks.
    public mutating func plainString(in text: Span<UInt8>) -> Range<Int>? {
        guard offset < text.count, text[offset] == UInt8(ascii: "\"") else { return nil }
        let end = text.plainEnd(from: offset + 1)
        guard end < text.count, text[end] == UInt8(ascii: "\"") else { return nil }
        let range = (offset + 1)..<end
        offset = end + 1
        return range
    }

    /// Steps over a string, and returns how many bytes it has without its escapes.
    public mutating func string(in text: Span<UInt8>) -> Int? {
        if let range = plainString(in: text) { return range.count }
        guard offset < text.count, text[offset] == UInt8(ascii: "\""),
            let string = try? JSONString(in: text, from: offset + 1, isLenient: false),
            let count = try? string.unescapedCount(in: text)
        else { return nil }
        offset = string.range.upperBound + 1
        return count
    }

    /// Steps over an integer of 64 bits.
    public mutating func integer(in text: Span<UInt8>) -> Int64? {
        guard let number = number(in: text), number.isInteger, let value = try? number.integer(in: text) else {
            return nil
        }
        offset = number.range.upperBound
        return value
    }

    /// Steps over a number of either kind.
    public mutating func double(in text: Span<UInt8>) -> Double? {
        guard let number = number(in: text) else { return nil }
        let value = try? number.isInteger ? Double(number.integer(in: text)) : number.double(in: text)
        guard let value else { return nil }
        offset = number.range.upperBound
        return value
    }

    private func number(in text: Span<UInt8>) -> JSONNumber? {
        guard offset < text.count, JSONKind(firstByte: text[offset]) == .number else { return nil }
        return try? JSONNumber(in: text, from: offset)
    }
}
