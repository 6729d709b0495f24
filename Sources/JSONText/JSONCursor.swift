/// Steps over the tokens of a JSON text, RFC 8259, and checks each one on the way; it keeps no text and allocates nothing.
///
/// The text is given with every call, and is the same each time. Between two calls the cursor stands at the first byte of
/// a token. `JSONReader` reads values with it, and gpsd's lines, which lie in a buffer of somebody else, are read with it
/// directly.
///
/// UTF-8 is left to the caller, who can check a whole text at once.
public struct JSONCursor: Sendable {
    /// Where the cursor stands, in bytes from the beginning of the text.
    public private(set) var offset = 0

    private var depth = 0
    private let maximumDepth: Int
    private let isLenient: Bool

    /// A cursor at the beginning of a text.
    ///
    /// - Parameters:
    ///   - maximumDepth: How many arrays and objects may lie within each other.
    ///   - isLenient: Whether a word that JSON does not know, as `nan`, stands for a value, and a backslash may be followed
    ///     by any character: for texts of a program that is known to write such, where the rest is still of use.
    public init(maximumDepth: Int = 16, isLenient: Bool = false) {
        self.maximumDepth = maximumDepth
        self.isLenient = isLenient
    }

    // Objects and arrays

    /// Steps into an object, to its first name; false where it is empty, which is stepped over as a whole.
    public mutating func beginObject(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try begin(UInt8(ascii: "{"), UInt8(ascii: "}"), in: text)
    }

    /// Steps from a member's value to the next name; false where the object ends, whose end is stepped over.
    public mutating func continueObject(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try goesOn(until: UInt8(ascii: "}"), in: text)
    }

    /// Steps into an array, to its first element; false where it is empty, which is stepped over as a whole.
    public mutating func beginArray(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try begin(UInt8(ascii: "["), UInt8(ascii: "]"), in: text)
    }

    /// Steps from an element to the next one; false where the array ends, whose end is stepped over.
    public mutating func continueArray(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try goesOn(until: UInt8(ascii: "]"), in: text)
    }

    private mutating func begin(
        _ opening: UInt8, _ closing: UInt8, in text: Span<UInt8>
    ) throws(JSONError) -> Bool {
        guard depth < maximumDepth else { throw error(.tooDeep) }
        try expect(opening, in: text)
        guard !accept(closing, in: text) else { return false }
        depth += 1
        return true
    }

    private mutating func goesOn(until closing: UInt8, in text: Span<UInt8>) throws(JSONError) -> Bool {
        if accept(UInt8(ascii: ","), in: text) { return true }
        try expect(closing, in: text)
        depth -= 1
        return false
    }

    /// Steps over a member's name and its colon.
    public mutating func name(in text: Span<UInt8>) throws(JSONError) -> JSONString {
        let start = offset
        let name = try stepOverString(in: text)
        skipSpace(in: text)
        // Where strings end at U+0000, as in C, such a name would pass for another one.
        if name.hasNull { throw JSONError(reason: .nullInKey, offset: start) }
        try expect(UInt8(ascii: ":"), in: text)
        return name
    }

    // Values

    /// What kind of value comes next; nil at the end of the text, and where none can begin.
    public func kind(in text: Span<UInt8>) -> JSONKind? {
        guard offset < text.count else { return nil }
        return JSONKind(firstByte: text[offset]) ?? (isLenient && text[offset].isJSONWordCharacter ? .word : nil)
    }

    /// Steps over a string.
    public mutating func string(in text: Span<UInt8>) throws(JSONError) -> JSONString {
        let string = try stepOverString(in: text)
        skipSpace(in: text)
        return string
    }

    /// Steps over a number.
    public mutating func number(in text: Span<UInt8>) throws(JSONError) -> JSONNumber {
        guard kind(in: text) == .number else { throw misplaced(in: text) }
        let number = try JSONNumber(in: text, from: offset)
        offset = number.range.upperBound
        skipSpace(in: text)
        return number
    }

    /// Steps over `true` or `false`.
    public mutating func bool(in text: Span<UInt8>) throws(JSONError) -> Bool {
        if try accept(literal: "true", in: text) { return true }
        guard try accept(literal: "false", in: text) else { throw misplaced(in: text) }
        return false
    }

    /// Steps over `null`, where that is what comes next; says whether it is.
    public mutating func null(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try accept(literal: "null", in: text)
    }

    /// Steps over a value that has no others in it, and says where it stands and what it is: a string without its quotation
    /// marks, anything else whole.
    public mutating func scalar(in text: Span<UInt8>) throws(JSONError) -> (range: Range<Int>, kind: JSONKind) {
        let start = offset
        switch kind(in: text) {
        case .string: return (try string(in: text).range, .string)
        case let kind? where isLenient: return try word(beginningLike: kind, in: text)
        case .number: return (try number(in: text).range, .number)
        case .boolean: return (start..<(start + (try bool(in: text) ? 4 : 5)), .boolean)
        case .null:
            guard try null(in: text) else { throw misplaced(in: text) }
            return (start..<(start + 4), .null)
        default: throw misplaced(in: text)
        }
    }

    /// Steps over a value of any kind.
    public mutating func skip(in text: Span<UInt8>) throws(JSONError) {
        switch kind(in: text) {
        case .object:
            guard try beginObject(in: text) else { return }
            repeat {
                _ = try name(in: text)
                try skip(in: text)
            } while try continueObject(in: text)
        case .array:
            guard try beginArray(in: text) else { return }
            repeat { try skip(in: text) } while try continueArray(in: text)
        default: _ = try scalar(in: text)
        }
    }

    /// Makes sure that nothing follows.
    public func end(in text: Span<UInt8>) throws(JSONError) {
        guard offset == text.count else { throw misplaced(in: text) }
    }

    // Tokens

    /// Steps over white space: to be called once, at the beginning of a text.
    public mutating func skipSpace(in text: Span<UInt8>) {
        while offset < text.count, text[offset] <= UInt8(ascii: " ") {
            switch text[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): offset += 1
            default: return
            }
        }
    }

    /// Steps to a place that the caller has found, and over the white space there.
    mutating func step(to place: Int, in text: Span<UInt8>) {
        offset = place
        skipSpace(in: text)
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: offset) }

    /// What is wrong with a token that stands where it may not.
    private func misplaced(in text: Span<UInt8>) -> JSONError {
        guard offset < text.count else { return error(.unfinished) }
        switch text[offset] {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"): return error(.structure)
        case let byte:
            // The first letter of a literal that is none tells the kind of no value.
            switch JSONKind(firstByte: byte) {
            case .string, .number, .object, .array: return error(.structure)
            default: return error(.unexpectedCharacter)
            }
        }
    }

    private mutating func expect(_ sign: UInt8, in text: Span<UInt8>) throws(JSONError) {
        guard accept(sign, in: text) else { throw misplaced(in: text) }
    }

    private mutating func accept(_ sign: UInt8, in text: Span<UInt8>) -> Bool {
        guard offset < text.count, text[offset] == sign else { return false }
        offset += 1
        skipSpace(in: text)
        return true
    }

    private mutating func accept(literal word: StaticString, in text: Span<UInt8>) throws(JSONError) -> Bool {
        let end = offset + word.utf8CodeUnitCount
        guard text.contains(word, at: offset) else { return false }
        if end < text.count, text[end].isJSONWordCharacter {
            throw JSONError(reason: .unexpectedCharacter, offset: end)
        }
        step(to: end, in: text)
        return true
    }

    /// Steps over a number or a word of any letters.
    private mutating func word(
        beginningLike kind: JSONKind, in text: Span<UInt8>
    ) throws(JSONError) -> (range: Range<Int>, kind: JSONKind) {
        let start = offset
        var end = start
        while end < text.count, text[end].isJSONWordCharacter { end += 1 }
        guard end > start else { throw misplaced(in: text) }
        step(to: end, in: text)
        let isKnown =
            switch kind {
            case .number: JSONNumber.isNumber(start..<end, in: text)
            case .boolean:
                end - start == 4 && text.contains("true", at: start)
                    || end - start == 5 && text.contains("false", at: start)
            case .null: end - start == 4 && text.contains("null", at: start)
            default: false
            }
        return (start..<end, isKnown ? kind : .word)
    }

    private mutating func stepOverString(in text: Span<UInt8>) throws(JSONError) -> JSONString {
        guard offset < text.count, text[offset] == UInt8(ascii: "\"") else { throw misplaced(in: text) }
        let string = try JSONString(in: text, from: offset + 1, isLenient: isLenient)
        offset = string.range.upperBound + 1
        return string
    }
}

extension Span<UInt8> {
    /// Whether this word stands at a place.
    func contains(_ word: StaticString, at place: Int) -> Bool {
        guard word.utf8CodeUnitCount <= count - place else { return false }
        return word.withUTF8Buffer { word in
            for (offset, byte) in word.enumerated() where self[place + offset] != byte { return false }
            return true
        }
    }
}

extension UInt8 {
    /// Whether it continues a word or a number, so that a token may not end before it.
    var isJSONWordCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
