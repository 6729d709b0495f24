import TestSupport
import Testing

@testable import JSONText

/// Reading without a tree yields the same values as reading with one.
@Suite struct JSONReaderTests {
    /// Reads a whole text into a tree with the methods of the reader.
    private func tree(_ text: String) throws(JSONError) -> JSON {
        var reader = try JSONReader(Array(text.utf8))
        let value = try reader.anyValue()
        try reader.end()
        return value
    }

    static let numbers = [
        "0", "-0", "1", "-1", "0.5", "-0.25", "48.137154321", "11.5761234567", "1780300800.123", "1e6", "1E+2", "2e-7",
        "123456789012345678", "1234567890123456789", "0.1234567890123456789", "9007199254740993",
        "1.7976931348623157e308",
        "5e-324", "2.2250738585072014e-308", "0.000000000000000000000000001", "299792458.00000000000000000000", "1e22",
        "123456789e-30",
    ]

    @Test(arguments: numbers)
    func `a number is the nearest double`(_ text: String) throws {
        var reader = try JSONReader(Array(text.utf8))
        #expect(try reader.number() == Double(text))
        try reader.end()
    }

    @Test func `numbers that a writer has written are read back exactly`() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let value =
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: Double.random(in: -180...180, using: &generator)
                case 1: (Double.random(in: -180...180, using: &generator) * 1e9).rounded() / 1e9
                case 2: (Double.random(in: -2e9...2e9, using: &generator) * 1e4).rounded() / 1e4
                case 3: Double(Int.random(in: -20...20, using: &generator)) / 10
                default: Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &generator))
                }
            guard value.isFinite else { continue }
            var writer = JSONWriter()
            writer.number(value)
            var reader = try JSONReader(writer.bytes)
            let isSame = try reader.number().bitPattern == value.bitPattern
            #expect(isSame, "\(value)")
            try reader.end()
        }
    }

    @Test func `a name is found at any place among the expected ones`() throws {
        let names: [StaticString] = ["a", "bc", "d", "ef"]
        var reader = try JSONReader(Array(#"{"a":0,"d":2,"bc":1,"x":9,"ef":3,"\u0061":0,"e":9,"d":2}"#.utf8))
        var last = -1
        try reader.members { (reader) throws(JSONError) in
            let index = reader.index(among: names, after: last)
            let value = try reader.integer()
            #expect(index == (value == 9 ? nil : Int(value)))
            last = index ?? last
        }
        try reader.end()
    }

    @Test(arguments: [
        (#""full" "#, true), (#""ful""#, false), (#""fully""#, false), (#""full"#, false), (#"null"#, false),
        (#""fu\u006cl""#, false), ("", false),
    ])
    func `a word is read if it is the expected one, and otherwise nothing is read`(text: String, isTaken: Bool) throws {
        var reader = try JSONReader(Array(text.utf8))
        #expect(reader.consumeString("full") == isTaken)
        #expect(reader.offset == (isTaken ? text.utf8.count : 0))
    }

    static let integers: [(String, Int64)] = [
        ("0", 0), ("-1", -1), ("9223372036854775807", .max), ("-9223372036854775808", .min), ("3.0", 3),
        ("1e6", 1_000_000),
        ("999999999999999999", 999_999_999_999_999_999),
    ]

    @Test(arguments: integers)
    func `an integer is read, also one that is written as another number`(text: String, value: Int64) throws {
        var reader = try JSONReader(Array(text.utf8))
        #expect(try reader.integer() == value)
        try reader.end()
    }

    static let documents = [
        #"{}"#, #"[]"#, #" { "a" : [ 1 , 2.5, true , false , null ] , "b" : { "c" : "d" } } "#,
        #"{"A":1}"#, #""\"\\\/\b\f\n\r\té😀""#, #""ü😀""#, #"[[[[]]]]"#, #"{"":""}"#,
    ]

    @Test(arguments: documents)
    func `a document is read as with a tree`(_ text: String) throws {
        #expect(try tree(text) == JSON.parse(Array(text.utf8)))
    }

    static let faults = [
        "", "{", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "[1 2]",
        "tru",
        "nul", "01", "-", "1.", ".5", "1e", "+1", "1 1", "\"", "\"\u{1}\"", "\"\\x\"", "\"\\ud800\"", "\"\\", "1e999",
        "[\"a\"", "{\"a\":1", "NaN", "Infinity", "'a'", "[1}", "{\"a\":1]",
    ]

    @Test(arguments: faults)
    func `invalid JSON is refused`(_ text: String) throws {
        #expect(throws: JSONError.self) { try tree(text) }
    }

    @Test func `too deep a nesting is refused without further recursion`() throws {
        var reader = try JSONReader(Array(String(repeating: "[", count: 100_000).utf8), maximumDepth: 8)
        #expect(throws: JSONError(reason: .tooDeep, offset: 8)) { try reader.skip() }
    }

    @Test func `a truncated or changed text yields an error or a value, and nothing else`() throws {
        var generator = SeededGenerator(seed: 11)
        let text = Array(
            #"{"parameters":{"id":"ab\nc","points":[{"sequence":12,"x":-1.25e3,"y":null}]},"continues":true}"#.utf8)
        var read = 0
        for _ in 0..<20_000 {
            var damaged = text
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: damaged[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: damaged.remove(at: index)
                default: damaged.removeSubrange(index...)
                }
                if damaged.isEmpty { break }
            }
            do throws(JSONError) {
                var reader = try JSONReader(damaged)
                _ = try reader.anyValue()
                try reader.end()
                read += 1
            } catch {
                continue
            }
        }
        #expect(read > 0)
    }
}

extension JSONReader {
    /// Reads a value of any kind into a tree, with the method for its kind.
    fileprivate mutating func anyValue() throws(JSONError) -> JSON {
        switch kind {
        case .object:
            var found: [JSON.Member] = []
            try members { (reader) throws(JSONError) in
                let name = reader.nameText
                found.append(JSON.Member(name, try reader.anyValue()))
            }
            return .object(found)
        case .array:
            var values: [JSON] = []
            try elements { (reader) throws(JSONError) in values.append(try reader.anyValue()) }
            return .array(values)
        case .string: return .string(try string())
        case .boolean: return .bool(try bool())
        case .null:
            try skip()
            return .null
        default: return try anyNumber()
        }
    }
}
