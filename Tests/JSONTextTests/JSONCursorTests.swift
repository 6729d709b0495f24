import Testing

@testable import JSONText

/// The tokens that a cursor steps over, and the additional ones of a lenient cursor.
@Suite struct JSONCursorTests {
    private func scalar(_ text: String, isLenient: Bool) throws(JSONError) -> (String, JSONKind) {
        let bytes = Array(text.utf8)
        var cursor = JSONCursor(isLenient: isLenient)
        cursor.skipSpace(in: bytes.span)
        let (range, kind) = try cursor.scalar(in: bytes.span)
        try cursor.end(in: bytes.span)
        return (String(decoding: bytes[range], as: UTF8.self), kind)
    }

    static let values: [(String, String, JSONKind)] = [
        (#" "a\"b" "#, #"a\"b"#, .string), ("-1.5e3", "-1.5e3", .number), (" true\n", "true", .boolean),
        ("false", "false", .boolean), ("null", "null", .null),
    ]

    @Test(arguments: values, [false, true])
    func `a value is found with its range and its kind`(_ value: (String, String, JSONKind), isLenient: Bool) throws {
        let (text, kind) = try scalar(value.0, isLenient: isLenient)
        #expect(text == value.1)
        #expect(kind == value.2)
    }

    @Test(arguments: [0x00, 0x1F, 0x22, 0x5C])
    func `a sign that ends a string, begins an escape or is not permitted is found at every place`(sign: UInt8) throws {
        for count in 0..<40 {
            for place in 0...count {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                // Signs whose bytes differ from the special ones in one bit, or in the highest one.
                for (index, byte) in [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x9F, 0xA2, 0xDC, 0xFF].enumerated()
                where index < count { bytes[count - 1 - index] = UInt8(byte) }
                #expect(bytes.span.plainEnd(from: place) == count)
                bytes.insert(sign, at: place)
                #expect(bytes.span.plainEnd(from: 0) == place, "\(bytes)")
                #expect(bytes.span.plainEnd(from: place) == place, "\(bytes)")
                #expect(bytes.span.plainEnd(from: place + 1) == count + 1, "\(bytes)")
            }
        }
    }

    @Test(arguments: ["nan", "-nan", "NaN", "Infinity", "+1", "01", "1e", "nul", "truex", "1.2.3"])
    func `a lenient cursor steps over a word that is not JSON, and reports its kind`(_ word: String) throws {
        let (text, kind) = try scalar(word, isLenient: true)
        #expect(text == word)
        #expect(kind == .word)
        #expect(throws: JSONError.self) { try scalar(word, isLenient: false) }
    }

    @Test func `a lenient cursor accepts any character after a backslash`() throws {
        #expect(try scalar(#""a\xb""#, isLenient: true).0 == #"a\xb"#)
        #expect(throws: JSONError(reason: .invalidEscape, offset: 2)) { try scalar(#""a\xb""#, isLenient: false) }
    }

    @Test(arguments: ["", "}", ",", "\"a", "\"a\\", "\u{1}", "'a'", "@"])
    func `a lenient cursor refuses a text that is no value`(_ text: String) {
        #expect(throws: JSONError.self) { try scalar(text, isLenient: true) }
    }

    @Test func `a value is stepped over with its contents, up to the permitted depth`() throws {
        let text = #" {"a":[1,{"b":[]}],"c":{}} "#
        try skip(text, maximumDepth: 4)
        #expect(throws: JSONError(reason: .tooDeep, offset: 14)) { try skip(text, maximumDepth: 3) }
    }

    private func skip(_ text: String, maximumDepth: Int) throws(JSONError) {
        let bytes = Array(text.utf8)
        var cursor = JSONCursor(maximumDepth: maximumDepth)
        cursor.skipSpace(in: bytes.span)
        try cursor.skip(in: bytes.span)
        try cursor.end(in: bytes.span)
    }
}
