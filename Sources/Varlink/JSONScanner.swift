/// Checks the tokens of a JSON text, and its depth and size, before the text reaches json-c.
///
/// json-c 0.16 is lax even when strict: it takes `NaN`, `Infinity`, raw control characters and overlong UTF-8, replaces
/// lone surrogates, clamps integers that are too large, and ends a name at U+0000. What it takes after this check is
/// RFC 8259; the order of the tokens is left to json-c.
struct JSONScanner {
    private let text: [UInt8]
    private let maximumDepth: Int
    private let maximumValues: Int
    private var position = 0
    private var depth = 0
    private var values = 0
    /// Whether the token before this one is a string with U+0000 in it, and where.
    private var nullOffset: Int?

    init(_ text: [UInt8], maximumDepth: Int, maximumValues: Int) {
        self.text = text
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
    }

    /// Looks at every token once.
    mutating func check() throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw JSONError(reason: .invalidUTF8, offset: error.byteOffsets.lowerBound)
        }
        while position < text.count { try token() }
    }

    private mutating func token() throws(JSONError) {
        let start = position
        let byte = text[position]
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            position += 1
            return
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            guard depth <= maximumDepth else { throw error(.tooDeep) }
            position += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            guard depth >= 0 else { throw error(.structure) }
            position += 1
        case UInt8(ascii: ","):
            position += 1
        case UInt8(ascii: ":"):
            if let nullOffset { throw JSONError(reason: .nullInKey, offset: nullOffset) }
            position += 1
        case UInt8(ascii: "\""):
            try string()
            try count(at: start)
            return
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try number()
        case UInt8(ascii: "t"):
            try literal("true")
        case UInt8(ascii: "f"):
            try literal("false")
        case UInt8(ascii: "n"):
            try literal("null")
        default:
            throw error(.unexpectedCharacter)
        }
        nullOffset = nil
        if byte != UInt8(ascii: ","), byte != UInt8(ascii: ":") { try count(at: start) }
    }

    /// Counts a token that stands for memory: a value, a name, a bracket.
    private mutating func count(at offset: Int) throws(JSONError) {
        values += 1
        guard values <= maximumValues else { throw JSONError(reason: .tooManyValues, offset: offset) }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }

    private mutating func literal(_ word: StaticString) throws(JSONError) {
        let end = position + word.utf8CodeUnitCount
        let matches = word.withUTF8Buffer { end <= text.count && text[position..<end].elementsEqual($0) }
        guard matches else { throw error(.unexpectedCharacter) }
        position = end
        if position < text.count, text[position].isWordCharacter { throw error(.unexpectedCharacter) }
    }

    private mutating func string() throws(JSONError) {
        nullOffset = nil
        position += 1
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"):
                try escape()
            case 0..<0x20:
                throw error(.controlCharacter)
            default:
                position += 1
            }
        }
        throw error(.unfinished)
    }

    private mutating func escape() throws(JSONError) {
        guard position + 1 < text.count else { throw error(.unfinished) }
        switch text[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            try unicodeEscape()
        default:
            throw error(.invalidEscape)
        }
    }

    private mutating func unicodeEscape() throws(JSONError) {
        let start = position
        switch try codeUnit() {
        case 0:
            nullOffset = start
        case 0xD800...0xDBFF:
            let isFollowed =
                position + 1 < text.count && text[position] == UInt8(ascii: "\\")
                && text[position + 1] == UInt8(ascii: "u")
            guard isFollowed, (0xDC00...0xDFFF).contains(try codeUnit()) else {
                throw JSONError(reason: .loneSurrogate, offset: start)
            }
        case 0xDC00...0xDFFF:
            throw JSONError(reason: .loneSurrogate, offset: start)
        default:
            break
        }
    }

    /// The four digits after a backslash and a `u`, which it steps over too.
    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        guard position + 6 <= text.count else { throw error(.unfinished) }
        var value: UInt32 = 0
        for byte in text[(position + 2)..<(position + 6)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error(.invalidEscape)
            }
            value = value << 4 | UInt32(digit)
        }
        position += 6
        return value
    }

    private mutating func number() throws(JSONError) {
        let start = position
        var isInteger = true
        if text[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard digits() > 0, text[first] != UInt8(ascii: "0") || position == first + 1 else {
            throw error(.invalidNumber)
        }
        if position < text.count, text[position] == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            guard digits() > 0 else { throw error(.invalidNumber) }
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard digits() > 0 else { throw error(.invalidNumber) }
        }
        if position < text.count, text[position].isWordCharacter { throw error(.invalidNumber) }
        // Short numbers fit in any case: 18 digits in 64 bits, and without an exponent in a double.
        let word = text[start..<position]
        if isInteger {
            guard word.count <= 18 || Int64(String(decoding: word, as: UTF8.self)) != nil else {
                throw JSONError(reason: .numberOutOfRange, offset: start)
            }
        } else if word.count > 300 || word.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            guard Double(String(decoding: word, as: UTF8.self))?.isFinite == true else {
                throw JSONError(reason: .numberOutOfRange, offset: start)
            }
        }
    }

    private mutating func digits() -> Int {
        let start = position
        while position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) { position += 1 }
        return position - start
    }
}

extension UInt8 {
    /// Whether it continues a word or a number, so that a token may not end before it.
    fileprivate var isWordCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
