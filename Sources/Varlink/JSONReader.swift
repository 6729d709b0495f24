import Glibc

/// Reads a JSON text value by value in the order in which it stands, without building a tree: for large replies whose
/// members are known.
///
/// It takes what RFC 8259 allows and nothing else, but for text that nobody asks for: in what is skipped, escapes and UTF-8
/// are not looked at. It is not for calls of clients, whose every byte is checked by `JSON.parse`.
public struct JSONReader {
    private let text: [UInt8]
    private let maximumDepth: Int
    private var position = 0
    private var depth = 0
    /// Where the name of the present member stands, without its quotes.
    private var name = 0..<0
    /// The same name without escapes, where it has some.
    private var unescapedName: [UInt8]?
    /// How many bytes that name has, without escapes.
    @usableFromInline var nameLength = 0

    /// A reader at the beginning of a text.
    public init(_ text: [UInt8], maximumDepth: Int = 16) {
        self.text = text
        self.maximumDepth = maximumDepth
        skipSpace()
    }

    /// Where the reader stands, in bytes from the beginning.
    public var offset: Int { position }

    /// Reads an object: the body is called for each member, looks at its name with `isNamed`, and takes its value.
    @inlinable
    public mutating func members(_ body: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard try begin(UInt8(ascii: "{"), UInt8(ascii: "}")) else { return }
        repeat {
            try readName()
            try body(&self)
        } while try goesOn(until: UInt8(ascii: "}"))
    }

    /// Whether the present member has this name; to be asked before its value is taken.
    @inlinable
    public func isNamed(_ word: StaticString) -> Bool {
        // Nearly always the length tells.
        nameLength == word.utf8CodeUnitCount && hasName(word)
    }

    @usableFromInline
    func hasName(_ word: StaticString) -> Bool {
        if let unescapedName { return word.withUTF8Buffer { unescapedName.elementsEqual($0) } }
        return stands(word, at: name.lowerBound)
    }

    /// Which of these names the present member has, looked for from the one behind the last: members nearly always come in
    /// the order in which they were written. Nil for none of them.
    public func index(among names: [StaticString], after last: Int) -> Int? {
        var index = last
        for _ in names.indices {
            index = index + 1 < names.count ? index + 1 : 0
            if isNamed(names[index]) { return index }
        }
        return nil
    }

    /// Reads an array: the body is called for each element, and takes it.
    @inlinable
    public mutating func elements(_ body: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard try begin(UInt8(ascii: "["), UInt8(ascii: "]")) else { return }
        repeat { try body(&self) } while try goesOn(until: UInt8(ascii: "]"))
    }

    /// Steps into an object or an array; whether it has anything in it, where not it is stepped over.
    @usableFromInline
    mutating func begin(_ opening: UInt8, _ closing: UInt8) throws(JSONError) -> Bool {
        try expect(opening)
        depth += 1
        guard depth <= maximumDepth else { throw error(.tooDeep) }
        guard take(closing) else { return true }
        depth -= 1
        return false
    }

    /// Steps over what stands behind a member or an element; whether another comes.
    @usableFromInline
    mutating func goesOn(until closing: UInt8) throws(JSONError) -> Bool {
        if take(UInt8(ascii: ",")) { return true }
        try expect(closing)
        depth -= 1
        return false
    }

    /// Nothing but white space may follow.
    public func end() throws(JSONError) {
        guard position == text.count else { throw error(.structure) }
    }

    // Values

    /// Reads a number.
    public mutating func number() throws(JSONError) -> Double {
        if let (value, end) = shortNumber() {
            position = end
            skipSpace()
            return value
        }
        let start = position
        let isNegative = take(UInt8(ascii: "-"), skippingSpace: false)
        var digits: UInt64 = 0
        var count = 0
        let first = position
        try readDigits(&digits, &count)
        guard text[first] != UInt8(ascii: "0") || position == first + 1 else { throw error(.invalidNumber) }
        var exponent = 0
        if take(UInt8(ascii: "."), skippingSpace: false) {
            let begin = position
            try readDigits(&digits, &count)
            exponent = begin - position
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") { exponent += try readExponent() }
        defer { skipSpace() }
        // An integer of 53 bits and a power of ten up to 22 are doubles, so that one rounding gives the nearest.
        if count <= 18, digits <= 1 << 53, (-22...22).contains(exponent) {
            let scale = Self.powersOfTen[abs(exponent)]
            let magnitude = exponent < 0 ? Double(digits) / scale : Double(digits) * scale
            return isNegative ? -magnitude : magnitude
        }
        guard let value = Double(String(decoding: text[start..<position], as: UTF8.self)), value.isFinite else {
            throw JSONError(reason: .numberOutOfRange, offset: start)
        }
        return value
    }

    /// A number without an exponent and with 15 digits at most, as nearly all are, and where it ends; nil for any other
    /// text. So many digits are an integer below 2^53, and there are few enough places: see above.
    private func shortNumber() -> (value: Double, end: Int)? {
        var place = position
        guard place < text.count else { return nil }
        let isNegative = text[place] == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let first = place
        var digits: UInt64 = 0
        place = readDigits(from: place, into: &digits)
        let whole = place - first
        guard whole > 0, whole == 1 || text[first] != UInt8(ascii: "0") else { return nil }
        var places = 0
        if place < text.count, text[place] == UInt8(ascii: ".") {
            let point = place
            place = readDigits(from: point + 1, into: &digits)
            places = place - point - 1
            guard places > 0 else { return nil }
        }
        guard whole + places <= 15, place == text.count || text[place] | 0x20 != UInt8(ascii: "e") else { return nil }
        let magnitude = Double(digits) / Self.powersOfTen[places]
        return (isNegative ? -magnitude : magnitude, place)
    }

    /// Reads all digits from a place on, and returns where they end. What does not fit is lost: whoever calls counts them.
    private func readDigits(from start: Int, into value: inout UInt64) -> Int {
        var place = start
        while place < text.count {
            let digit = text[place] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            place += 1
        }
        return place
    }

    /// Reads a number, or `null` as nil.
    public mutating func optionalNumber() throws(JSONError) -> Double? { try takeNull() ? nil : number() }

    /// Reads an integer, also one that is written as `3.0` or `1e6`.
    public mutating func integer() throws(JSONError) -> Int64 {
        let start = position
        let isNegative = take(UInt8(ascii: "-"), skippingSpace: false)
        var digits: UInt64 = 0
        var count = 0
        let first = position
        try readDigits(&digits, &count)
        let isPlain =
            position == text.count
            || text[position] != UInt8(ascii: ".") && text[position] | 0x20 != UInt8(ascii: "e")
        if isPlain, count <= 18, text[first] != UInt8(ascii: "0") || position == first + 1 {
            skipSpace()
            return isNegative ? -Int64(digits) : Int64(digits)
        }
        if isPlain, let value = Int64(String(decoding: text[start..<position], as: UTF8.self)), count > 18 {
            skipSpace()
            return value
        }
        position = start
        guard let value = Int64(exactly: try number()) else {
            throw JSONError(reason: .numberOutOfRange, offset: start)
        }
        return value
    }

    /// Reads `true` or `false`.
    public mutating func bool() throws(JSONError) -> Bool {
        if takeWord("true") { return true }
        guard takeWord("false") else { throw error(.unexpectedCharacter) }
        return false
    }

    /// Reads `true` or `false`, or `null` as nil.
    public mutating func optionalBool() throws(JSONError) -> Bool? { try takeNull() ? nil : bool() }

    /// Reads a string.
    public mutating func string() throws(JSONError) -> String {
        let start = position
        let (contents, hasEscapes) = try readString()
        skipSpace()
        guard hasEscapes else { return String(decoding: text[contents], as: UTF8.self) }
        let whole = Array(text[start..<contents.upperBound + 1])
        do throws(JSONError) { return try JSON.parse(whole).stringValue ?? "" } catch {
            throw JSONError(reason: error.reason, offset: start + error.offset)
        }
    }

    /// Reads a string where it is this word, without escapes; false, and nothing is read, where it is not.
    public mutating func takeString(_ word: StaticString) -> Bool {
        let end = position + 1 + word.utf8CodeUnitCount
        guard end < text.count, text[position] == UInt8(ascii: "\""), text[end] == UInt8(ascii: "\""),
            stands(word, at: position + 1)
        else { return false }
        position = end + 1
        skipSpace()
        return true
    }

    /// Reads a string, or `null` as nil.
    public mutating func optionalString() throws(JSONError) -> String? { try takeNull() ? nil : string() }

    /// Steps over a value of any kind.
    public mutating func skip() throws(JSONError) {
        guard position < text.count else { throw error(.unfinished) }
        switch text[position] {
        case UInt8(ascii: "{"): try members { (reader) throws(JSONError) in try reader.skip() }
        case UInt8(ascii: "["): try elements { (reader) throws(JSONError) in try reader.skip() }
        case UInt8(ascii: "\""):
            _ = try readString()
            skipSpace()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
        case UInt8(ascii: "n"): guard takeWord("null") else { throw error(.unexpectedCharacter) }
        default: _ = try number()
        }
    }

    // For tests, which build trees to compare.

    /// The first sign of the value that comes; nil at the end.
    var kind: UInt8? { position < text.count ? text[position] : nil }

    /// The present member's name.
    var nameText: String { String(decoding: unescapedName ?? Array(text[name]), as: UTF8.self) }

    /// Whether the number that comes has a fraction or an exponent.
    var isFraction: Bool {
        text[position...].prefix { "+-.eE0123456789".utf8.contains($0) }.contains { ".eE".utf8.contains($0) }
    }

    // Tokens

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    private func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: position) }

    private mutating func skipSpace() {
        while position < text.count, text[position] <= UInt8(ascii: " ") {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): position += 1
            default: return
            }
        }
    }

    private mutating func expect(_ sign: UInt8) throws(JSONError) {
        guard take(sign) else { throw error(position < text.count ? .structure : .unfinished) }
    }

    private mutating func take(_ sign: UInt8, skippingSpace: Bool = true) -> Bool {
        guard position < text.count, text[position] == sign else { return false }
        position += 1
        if skippingSpace { skipSpace() }
        return true
    }

    private mutating func takeNull() throws(JSONError) -> Bool { takeWord("null") }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        guard stands(word, at: position) else { return false }
        position += word.utf8CodeUnitCount
        skipSpace()
        return true
    }

    /// Whether a word stands at a place.
    private func stands(_ word: StaticString, at place: Int) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= text.count - place else { return false }
        return text.withUnsafeBytes { text in
            word.withUTF8Buffer { word in
                guard let text = text.baseAddress, let word = word.baseAddress else { return count == 0 }
                // Both have so many bytes.
                return memcmp(text + place, word, count) == 0
            }
        }
    }

    /// Reads a member's name with its colon.
    @usableFromInline
    mutating func readName() throws(JSONError) {
        let start = position
        let (contents, hasEscapes) = try readString()
        name = contents
        nameLength = contents.count
        if hasEscapes || unescapedName != nil { try unescapeName(Array(text[start..<position]), hasEscapes) }
        skipSpace()
        try expect(UInt8(ascii: ":"))
    }

    private mutating func unescapeName(_ whole: [UInt8], _ hasEscapes: Bool) throws(JSONError) {
        unescapedName = hasEscapes ? (try JSON.parse(whole).stringValue).map { Array($0.utf8) } : nil
        nameLength = unescapedName?.count ?? name.count
    }

    /// Steps over a string; returns where its contents stand, and whether there are escapes in them.
    private mutating func readString() throws(JSONError) -> (contents: Range<Int>, hasEscapes: Bool) {
        guard position < text.count, text[position] == UInt8(ascii: "\"") else {
            throw error(position < text.count ? .structure : .unfinished)
        }
        let start = position + 1
        let (end, hasEscapes) = endOfString(from: start)
        position = end
        guard end < text.count else { throw JSONError(reason: .unfinished, offset: text.count) }
        guard text[end] == UInt8(ascii: "\"") else { throw error(.controlCharacter) }
        position += 1
        return (start..<end, hasEscapes)
    }

    /// Where a string ends that has begun, or what can be in none; the end of the text, or one more, where it does not end.
    private func endOfString(from start: Int) -> (end: Int, hasEscapes: Bool) {
        var place = start
        var hasEscapes = false
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                place += 1
            } else if byte == UInt8(ascii: "\"") || byte < 0x20 {
                break
            }
            place += 1
        }
        return (place, hasEscapes)
    }

    /// Reads one digit or more, those that fit into 18 decimal places.
    private mutating func readDigits(_ value: inout UInt64, _ count: inout Int) throws(JSONError) {
        let start = position
        while position < text.count {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if count < 18 { value = value &* 10 &+ UInt64(digit) }
            if value > 0 || count > 0 { count += 1 }
            position += 1
        }
        guard position > start else { throw error(position < text.count ? .invalidNumber : .unfinished) }
    }

    private mutating func readExponent() throws(JSONError) -> Int {
        position += 1
        let isNegative = take(UInt8(ascii: "-"), skippingSpace: false)
        if !isNegative { _ = take(UInt8(ascii: "+"), skippingSpace: false) }
        var digits: UInt64 = 0
        var count = 0
        try readDigits(&digits, &count)
        // Longer ones are beyond any double, which the slow way finds out.
        let value = count <= 6 ? Int(digits) : 1_000_000
        return isNegative ? -value : value
    }
}
