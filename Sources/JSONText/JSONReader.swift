/// Reads a JSON text value by value in order, without building a tree: for texts whose members are known. `JSON.parse`
/// builds a tree with it.
///
/// It accepts exactly the texts of RFC 8259, including in skipped values.
public struct JSONReader {
    private let text: [UInt8]
    private var cursor: JSONCursor
    /// The range of the current member's name.
    private var name = 0..<0
    /// The name without escapes, if it has any.
    private var unescapedName: [UInt8]?
    /// The length of the name without escapes, in bytes.
    @usableFromInline var nameLength = 0

    /// A reader at the beginning of a text.
    ///
    /// - Parameter maximumDepth: The greatest nesting of arrays and objects.
    /// - Throws: `invalidUTF8`, with its offset.
    public init(_ text: [UInt8], maximumDepth: Int = 16) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw JSONError(reason: .invalidUTF8, offset: error.byteOffsets.lowerBound)
        }
        self.text = text
        cursor = JSONCursor(maximumDepth: maximumDepth)
        cursor.skipSpace(in: text.span)
    }

    /// The position of the reader, in bytes from the beginning.
    public var offset: Int { cursor.offset }

    /// The kind of the next value; nil at the end, and if no value begins here.
    public var kind: JSONKind? { cursor.kind(in: text.span) }

    /// Moves a copy of the cursor, so that the cursor is not written while the text beside it is borrowed.
    @inline(__always)
    private mutating func move<Value>(
        _ body: (inout JSONCursor, Span<UInt8>) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        var moved = cursor
        defer { cursor = moved }
        return try body(&moved, text.span)
    }

    // Objects and arrays.

    /// Reads an object: the body is called for each member, compares its name with `isNamed`, and reads its value.
    @inlinable
    public mutating func members(_ body: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard try beginObject() else { return }
        repeat {
            try readName()
            try body(&self)
        } while try continueObject()
    }

    /// Whether the current member has this name. Call this before the value is read.
    @inlinable
    public func isNamed(_ word: StaticString) -> Bool {
        // Nearly always the length decides.
        nameLength == word.utf8CodeUnitCount && hasName(word)
    }

    @usableFromInline
    func hasName(_ word: StaticString) -> Bool {
        if let unescapedName { return unescapedName.span.contains(word, at: 0) }
        return text.span.contains(word, at: name.lowerBound)
    }

    /// The current member's name.
    var nameText: String { String(decoding: unescapedName?[...] ?? text[name], as: UTF8.self) }

    /// The index of the current member's name among these names, searched from the one after `last`, because members
    /// are nearly always in the order in which they are written. Nil if it is none of them.
    public func index(among names: [StaticString], after last: Int) -> Int? {
        var index = last
        for _ in names.indices {
            index = index + 1 < names.count ? index + 1 : 0
            if isNamed(names[index]) { return index }
        }
        return nil
    }

    /// Reads an array: the body is called for each element, and reads it.
    @inlinable
    public mutating func elements(_ body: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard try beginArray() else { return }
        repeat { try body(&self) } while try continueArray()
    }

    @usableFromInline
    mutating func beginObject() throws(JSONError) -> Bool {
        try move { (cursor, text) throws(JSONError) in try cursor.beginObject(in: text) }
    }

    @usableFromInline
    mutating func continueObject() throws(JSONError) -> Bool {
        try move { (cursor, text) throws(JSONError) in try cursor.continueObject(in: text) }
    }

    @usableFromInline
    mutating func beginArray() throws(JSONError) -> Bool {
        try move { (cursor, text) throws(JSONError) in try cursor.beginArray(in: text) }
    }

    @usableFromInline
    mutating func continueArray() throws(JSONError) -> Bool {
        try move { (cursor, text) throws(JSONError) in try cursor.continueArray(in: text) }
    }

    @usableFromInline
    mutating func readName() throws(JSONError) {
        let string = try move { (cursor, text) throws(JSONError) in try cursor.name(in: text) }
        name = string.range
        nameLength = name.count
        guard string.hasEscapes || unescapedName != nil else { return }
        unescapedName = string.hasEscapes ? try string.unescaped(in: text) : nil
        nameLength = unescapedName?.count ?? name.count
    }

    /// Checks that only white space follows.
    public func end() throws(JSONError) { try cursor.end(in: text.span) }

    // Values.

    /// Reads a number.
    public mutating func number() throws(JSONError) -> Double {
        if let value = shortNumber() { return value }
        return try numberToken().double(in: text.span)
    }

    private mutating func shortNumber() -> Double? {
        guard let (value, end) = JSONNumber.short(in: text.span, from: cursor.offset) else { return nil }
        step(to: end)
        return value
    }

    private mutating func step(to place: Int) {
        var moved = cursor
        moved.step(to: place, in: text.span)
        cursor = moved
    }

    private mutating func numberToken() throws(JSONError) -> JSONNumber {
        try move { (cursor, text) throws(JSONError) in try cursor.number(in: text) }
    }

    /// Reads a number, or `null` as nil.
    public mutating func optionalNumber() throws(JSONError) -> Double? { try readNull() ? nil : number() }

    /// Reads an integer, also one that is written as `3.0` or `1e6`.
    public mutating func integer() throws(JSONError) -> Int64 {
        try numberToken().integer(in: text.span)
    }

    /// Reads `true` or `false`.
    public mutating func bool() throws(JSONError) -> Bool {
        try move { (cursor, text) throws(JSONError) in try cursor.bool(in: text) }
    }

    /// Reads `true` or `false`, or `null` as nil.
    public mutating func optionalBool() throws(JSONError) -> Bool? { try readNull() ? nil : bool() }

    /// Reads a string.
    public mutating func string() throws(JSONError) -> String {
        try move { (cursor, text) throws(JSONError) in try cursor.string(in: text) }.characters(in: text)
    }

    /// Reads a string, or `null` as nil.
    public mutating func optionalString() throws(JSONError) -> String? { try readNull() ? nil : string() }

    /// Reads a string if it is this word, without escapes; otherwise returns false and reads nothing.
    public mutating func consumeString(_ word: StaticString) -> Bool {
        let start = cursor.offset + 1
        let end = start + word.utf8CodeUnitCount
        guard end < text.count, text[start - 1] == UInt8(ascii: "\""), text[end] == UInt8(ascii: "\""),
            text.span.contains(word, at: start)
        else { return false }
        step(to: end + 1)
        return true
    }

    /// Reads `null` if it is the next value; returns whether it is.
    mutating func readNull() throws(JSONError) -> Bool {
        try move { (cursor, text) throws(JSONError) in try cursor.null(in: text) }
    }

    /// Reads a number of either kind.
    mutating func anyNumber() throws(JSONError) -> JSON {
        let number = try numberToken()
        return number.isInteger
            ? .integer(try number.integer(in: text.span)) : .number(try number.double(in: text.span))
    }

    /// Steps over a value of any kind, and returns its bytes without trailing white space.
    mutating func raw() throws(JSONError) -> ArraySlice<UInt8> {
        let start = offset
        try skip()
        return text[start..<offset].trimmingTrailingSpace
    }

    /// Steps over a value of any kind.
    public mutating func skip() throws(JSONError) {
        try move { (cursor, text) throws(JSONError) in try cursor.skip(in: text) }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without white space of JSON at the end.
    var trimmingTrailingSpace: ArraySlice<UInt8> {
        guard let last = lastIndex(where: { !" \t\n\r".utf8.contains($0) }) else { return self }
        return self[...last]
    }
}
