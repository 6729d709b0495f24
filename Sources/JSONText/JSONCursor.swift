/// Steps over the tokens of a JSON text (RFC 8259) and validates each one. It copies no text and allocates nothing.
///
/// The text is passed to every call and must be the same each time. Between two calls the cursor is at the first byte
/// of a token. `JSONReader` reads values with it; gpsd's lines, which are in a buffer of another owner, are read with
/// it directly.
///
/// UTF-8 is not validated here: the caller can check a whole text at once.
public struct JSONCursor: Sendable {
    /// The position of the cursor, in bytes from the beginning of the text.
    public private(set) var offset = 0

    private var depth = 0
    private let maximumDepth: Int
    private let isLenient: Bool

    /// A cursor at the beginning of a text.
    ///
    /// - Parameters:
    ///   - maximumDepth: The greatest nesting of arrays and objects.
    ///   - isLenient: Whether a word that JSON does not define, such as `nan`, is a value, and a backslash may be
    ///     followed by any character: for texts of programs that are known to write these.
    public init(maximumDepth: Int = 16, isLenient: Bool = false) {
        self.maximumDepth = maximumDepth
        self.isLenient = isLenient
    }

    // Objects and arrays.

    /// Steps into an object, to its first name; false for an empty object, which is stepped over completely.
    public mutating func beginObject(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try begin(UInt8(ascii: "{"), UInt8(ascii: "}"), in: text)
    }

    /// Steps from a member's value to the next name; false at the end of the object, which is stepped over.
    public mutating func continueObject(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try goesOn(until: UInt8(ascii: "}"), in: text)
    }

    /// Steps into an array, to its first element; false for an empty array, which is stepped over completely.
    public mutating func beginArray(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try begin(UInt8(ascii: "["), UInt8(ascii: "]"), in: text)
    }

    /// Steps from an element to the next one; false at the end of the array, which is stepped over.
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
        // In languages whose strings end at U+0000, such as C, such a name would be taken for another one.
        if name.hasNull { throw JSONError(reason: .nullInKey, offset: start) }
        try expect(UInt8(ascii: ":"), in: text)
        return name
    }

    // Values.

    /// The kind of the next value; nil at the end of the text and if no value begins here.
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

    /// Steps over `null` if it is the next value; returns whether it is.
    public mutating func null(in text: Span<UInt8>) throws(JSONError) -> Bool {
        try accept(literal: "null", in: text)
    }

    /// Steps over a value without nested values, and returns its range and kind: for a string the range without
    /// quotation marks, otherwise the whole value.
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

    /// Checks that nothing follows.
    public func end(in text: Span<UInt8>) throws(JSONError) {
        guard offset == text.count else { throw misplaced(in: text) }
    }

    // Tokens.

    /// Steps over white space. Call this once, at the beginning of a text.
    public mutating func skipSpace(in text: Span<UInt8>) {
        while offset < text.count, text[offset] <= UInt8(ascii: " ") {
            switch text[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): offset += 1
            default: return
            }
        }
    }

    /// Steps to an offset that the caller has found, and over the white space there.
    mutating func step(to place: Int, in text: Span<UInt8>) {
        offset = place
        skipSpace(in: text)
    }

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: offset) }

    /// The error of a token in the wrong place.
    private func misplaced(in text: Span<UInt8>) -> JSONError {
        guard offset < text.count else { return error(.unfinished) }
        switch text[offset] {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"): return error(.structure)
        case let byte:
            // The first letter of an unknown literal does not determine a kind of value.
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

extension UInt8 {
    /// Whether the byte continues a word or a number, so that a token may not end before it.
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
