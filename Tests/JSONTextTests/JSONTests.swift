import JSONText
import TestSupport
import Testing

struct JSONTests {
    static let valid: [(String, JSON)] = [
        ("{}", JSON.emptyObject),
        ("[]", []),
        (" {\"a\" : 1 , \"b\":[true,false,null]}\r\n\t ", ["a": 1, "b": [true, false, nil]]),
        ("0", 0), ("-0", 0), ("17", 17), ("-1.5e3", -1500.0), ("1E2", 100.0), ("0.1", 0.1),
        ("5e-324", .number(.leastNonzeroMagnitude)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
        ("\"\"", ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (#""\u00e9\u20AC\ud83d\uDE00é€😀""#, "é€😀é€😀"),
        (#""a\u0000b""#, "a\u{0}b"),
        (#"{"":{"":""}}"#, ["": ["": ""]]),
        (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]),
        ("true", true), ("null", nil), ("\"\u{7f}\u{10ffff}\"", "\u{7f}\u{10ffff}"),
        ("{\"a'b\":\"/*x*/\"}", ["a'b": "/*x*/"]),
    ]

    @Test(arguments: valid)
    func `a text that RFC 8259 allows is read`(text: String, value: JSON) throws {
        #expect(try JSON.parse(Array(text.utf8)) == value)
        #expect(try JSON.parse(value.bytes) == value)
    }

    static let invalid: [(String, JSONError.Reason, Int)] = [
        ("", JSONError.Reason.unfinished, 0), (" ", .unfinished, 1), ("{", .unfinished, 1), ("[1,", .unfinished, 3),
        ("\"abc", .unfinished, 4), (#""\"#, .unfinished, 1), (#""\u12"#, .unfinished, 1),
        ("{\"a\"", .unfinished, 4), ("{\"a\":", .unfinished, 5),
        ("]", .structure, 0), ("{]", .structure, 1), ("[1 2]", .structure, 3), ("{} {}", .structure, 3),
        ("{1:2}", .structure, 1), ("{\"a\" 1}", .structure, 5), ("[,1]", .structure, 1), ("[1,]", .structure, 3),
        ("{\"a\":1,}", .structure, 7), ("1,2", .structure, 1), ("1 2", .structure, 2), ("\"a\":1", .structure, 3),
        ("NaN", .unexpectedCharacter, 0), ("[Infinity]", .unexpectedCharacter, 1), ("-Infinity", .invalidNumber, 1),
        ("nan", .unexpectedCharacter, 0), ("True", .unexpectedCharacter, 0), ("nul", .unexpectedCharacter, 0),
        ("nullx", .unexpectedCharacter, 4), ("'a'", .unexpectedCharacter, 0), ("/* c */ 1", .unexpectedCharacter, 0),
        ("{} // c", .unexpectedCharacter, 3), ("\u{feff}{}", .unexpectedCharacter, 0),
        ("01", .invalidNumber, 2), ("-", .invalidNumber, 1), ("+1", .unexpectedCharacter, 0),
        (".5", .unexpectedCharacter, 0),
        ("1.", .invalidNumber, 2), ("1.e5", .invalidNumber, 2), ("1e", .invalidNumber, 2), ("1e+", .invalidNumber, 3),
        ("0x10", .invalidNumber, 1), ("1-2", .invalidNumber, 1), ("--1", .invalidNumber, 1),
        ("9223372036854775808", .numberOutOfRange, 0), ("[-9223372036854775809]", .numberOutOfRange, 1),
        ("1e999", .numberOutOfRange, 0), ("123456789012345678901234567890", .numberOutOfRange, 0),
        ("\"\n\"", .controlCharacter, 1), ("\"\u{0}\"", .controlCharacter, 1), (#""\x""#, .invalidEscape, 1),
        (#""\u12g4""#, .invalidEscape, 1), (#""\ud800""#, .loneSurrogate, 1), (#""\ud800\u0041""#, .loneSurrogate, 1),
        (#""\udc00\ud800""#, .loneSurrogate, 1), (#""\ud800x""#, .loneSurrogate, 1),
        (#"{"a\u0000b":1}"#, .nullInKey, 1), ("\u{0}", .unexpectedCharacter, 0),
    ]

    @Test(arguments: invalid)
    func `a text that RFC 8259 forbids is refused with its offset`(
        text: String, reason: JSONError.Reason, offset: Int
    ) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(Array(text.utf8)) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
    }

    @Test(arguments: [
        [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
        [0x22, 0xE2, 0x82],
        [0x22, 0x80, 0x22], [0x22, 0xFF, 0x22],
    ])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(bytes) }
        #expect(error == JSONError(reason: .invalidUTF8, offset: 1))
    }

    @Test(arguments: ["[]", "{\"a\":1}", "[\"b\"]", "{\"a\":{}}"])
    func `sixteen levels are read and seventeen are not`(innermost: String) throws {
        let inner = innermost == "{\"a\":{}}" ? 2 : 1
        func nested(_ levels: Int) -> [UInt8] {
            let outer = levels - inner
            return Array(
                (String(repeating: "{\"x\":", count: outer / 2) + String(repeating: "[", count: outer - outer / 2)
                    + innermost
                    + String(repeating: "]", count: outer - outer / 2) + String(repeating: "}", count: outer / 2)).utf8)
        }
        _ = try JSON.parse(nested(16))
        #expect(throws: JSONError.self) { try JSON.parse(nested(17)) }
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20)
        #expect(throws: JSONError(reason: .tooDeep, offset: 16)) { try JSON.parse(bomb) }
    }

    @Test func `more values than allowed are refused before they take memory`() {
        let text = Array(("[" + String(repeating: "0,", count: 20) + "0]").utf8)
        #expect(throws: Never.self) { try JSON.parse(text, maximumValues: 23) }
        #expect(throws: JSONError(reason: .tooManyValues, offset: 41)) { try JSON.parse(text, maximumValues: 22) }
    }

    @Test func `random bytes and broken texts never do more than fail`() throws {
        var random = SeededGenerator(seed: 20_260_101)
        let seeds = [
            #"{"method":"a.b.C","parameters":{"x":[1,2.5e3,"\u00e9\ud83d\ude00",null,true]},"more":true}"#, "[[[[]]]]",
        ]
        for round in 0..<20_000 {
            var bytes = Array(seeds[round % 2].utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
                }
            }
            guard let value = attempt({ () throws(JSONError) in try JSON.parse(bytes) }) else { continue }
            #expect(try JSON.parse(value.bytes) == value)
        }
    }

    @Test func `values are returned only as their own kind`() {
        let value: JSON = ["b": true, "i": 3, "n": 2.5, "w": 4.0, "s": "x", "a": [1], "o": ["k": nil]]
        #expect(value["b"]?.boolValue == true)
        #expect(value["i"]?.integerValue == 3)
        #expect(value["i"]?.numberValue == 3)
        #expect(value["n"]?.integerValue == nil)
        #expect(value["w"]?.integerValue == 4)
        #expect(value["s"]?.numberValue == nil)
        #expect(value["a"]?[0] == 1)
        #expect(value["a"]?[1] == nil)
        #expect(value["o"]?["k"]?.isNull == true)
        #expect(value["missing"] == nil)
        #expect(JSON.number(1e300).integerValue == nil)
    }
}
