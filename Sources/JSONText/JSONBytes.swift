/// What the readers of JSON need of the bytes of a text.
extension Span<UInt8> {
    /// Whether the text contains this word at an offset.
    func contains(_ word: StaticString, at place: Int) -> Bool {
        guard word.utf8CodeUnitCount <= count - place else { return false }
        return word.withUTF8Buffer { word in
            for offset in word.indices where self[place &+ offset] != word[offset] { return false }
            return true
        }
    }

    /// The offset of the first byte from this one on that is not simply a part of a string: a quotation mark, a backslash or a
    /// control character; the end of the text without one. Checks eight bytes at once.
    func plainEnd(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var place = start
        while place &+ 8 <= count {
            // The bytes are in the text, and any eight bytes are a number.
            let word = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // The high bit of a byte is set if it is below 0x20, or if its difference to one of the signs is zero. A borrow makes
            // a higher byte look like that at most, so that the lowest one is right.
            let found =
                ((word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash)
                & highBits
            if found != 0 { return place &+ found.trailingZeroBitCount / 8 }
            place &+= 8
        }
        while place < count {
            let byte = self[place]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return place }
            place &+= 1
        }
        return count
    }

    /// Whether all bytes are UTF-8.
    public var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }

    /// A part of the text, in which bytes that are no UTF-8 are replaced.
    public func text(of range: Range<Int>) -> String {
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
