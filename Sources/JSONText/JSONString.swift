/// The range of a string in a JSON text, and how it has to be decoded.
public struct JSONString: Sendable {
    /// The string without its quotation marks.
    public let range: Range<Int>
    /// Whether the string contains escapes, so that its bytes are not its characters.
    public let hasEscapes: Bool
    /// Whether the string contains U+0000.
    let hasNull: Bool

    /// Steps over the string that begins here, after its quotation mark.
    init(in text: Span<UInt8>, from start: Int, isLenient: Bool) throws(JSONError) {
        var place = start
        var hasEscapes = false
        var hasNull = false
        while true {
            place = text.plainEnd(from: place)
            guard place < text.count else { throw JSONError(reason: .unfinished, offset: text.count) }
            let byte = text[place]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                if isLenient {
                    place += 2
                } else if try Self.readEscape(in: text, at: &place) == "\u{0}" {
                    hasNull = true
                }
            } else {
                throw JSONError(reason: .controlCharacter, offset: place)
            }
        }
        range = start..<place
        self.hasEscapes = hasEscapes
        self.hasNull = hasNull
    }

    /// The decoded string.
    ///
    /// - Parameter text: UTF-8, in which a cursor that is not lenient has found this string.
    func characters(in text: [UInt8]) throws(JSONError) -> String {
        guard hasEscapes else { return String(decoding: text[range], as: UTF8.self) }
        return String(decoding: try unescaped(in: text), as: UTF8.self)
    }

    /// The decoded string as UTF-8.
    func unescaped(in text: [UInt8]) throws(JSONError) -> [UInt8] { try Self.unescaped(range, in: text) }

    /// The decoded string in a range without its quotation marks.
    static func unescaped(_ range: Range<Int>, in text: [UInt8]) throws(JSONError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var place = range.lowerBound
        while place < range.upperBound {
            if text[place] == UInt8(ascii: "\\") {
                let scalar = try readEscape(in: text.span, at: &place)
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                bytes.append(text[place])
                place += 1
            }
        }
        return bytes
    }

    /// The length of the decoded string, in bytes of UTF-8.
    func unescapedCount(in text: Span<UInt8>) throws(JSONError) -> Int {
        var count = 0
        var place = range.lowerBound
        while place < range.upperBound {
            let end = min(text.plainEnd(from: place), range.upperBound)
            count += end - place
            place = end
            if place < range.upperBound { count += UTF8.width(try Self.readEscape(in: text, at: &place)) }
        }
        return count
    }

    /// The character of an escape; a surrogate pair is two escapes for one character.
    private static func readEscape(in text: Span<UInt8>, at place: inout Int) throws(JSONError) -> Unicode.Scalar {
        let start = place
        guard start + 1 < text.count else { throw JSONError(reason: .unfinished, offset: start) }
        let simple: Unicode.Scalar
        switch text[start + 1] {
        case UInt8(ascii: "u"): return try readUnicodeEscape(in: text, at: &place)
        case UInt8(ascii: "\""): simple = "\""
        case UInt8(ascii: "\\"): simple = "\\"
        case UInt8(ascii: "/"): simple = "/"
        case UInt8(ascii: "b"): simple = "\u{8}"
        case UInt8(ascii: "f"): simple = "\u{c}"
        case UInt8(ascii: "n"): simple = "\n"
        case UInt8(ascii: "r"): simple = "\r"
        case UInt8(ascii: "t"): simple = "\t"
        default: throw JSONError(reason: .invalidEscape, offset: start)
        }
        place += 2
        return simple
    }

    private static func readUnicodeEscape(
        in text: Span<UInt8>, at place: inout Int
    ) throws(JSONError) -> Unicode.Scalar {
        let start = place
        let high = try readCodeUnit(in: text, at: &place)
        if let scalar = Unicode.Scalar(high) { return scalar }
        let isFollowed =
            high < 0xDC00 && place + 1 < text.count && text[place] == UInt8(ascii: "\\")
            && text[place + 1] == UInt8(ascii: "u")
        guard isFollowed, case let low = try readCodeUnit(in: text, at: &place), (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw JSONError(reason: .loneSurrogate, offset: start) }
        return scalar
    }

    /// The value of the four digits after a backslash and a `u`, all of which are stepped over.
    private static func readCodeUnit(in text: Span<UInt8>, at place: inout Int) throws(JSONError) -> UInt32 {
        guard place + 6 <= text.count else { throw JSONError(reason: .unfinished, offset: place) }
        var value: UInt32 = 0
        for index in (place + 2)..<(place + 6) {
            guard text[index] < 0x80, let digit = Character(Unicode.Scalar(text[index])).hexDigitValue else {
                throw JSONError(reason: .invalidEscape, offset: place)
            }
            value = value << 4 | UInt32(digit)
        }
        place += 6
        return value
    }
}
