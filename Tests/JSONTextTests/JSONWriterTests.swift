import JSONText
import TestSupport
import Testing

struct JSONWriterTests {
    @Test func `commas are written between members and values only`() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("a", 1)
            writer.member("b", Double?.none)
            writer.object("c") { _ in }
            writer.array("d") { writer in
                writer.null()
                writer.bool(true)
                writer.object { $0.member("e", "x") }
                writer.array { _ in }
            }
            writer.member("f", ["p", "q"])
            writer.member("g", JSON.null)
            writer.key("h")
            writer.raw(Array("[7]".utf8))
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"a":1,"c":{},"d":[null,true,{"e":"x"},[]],"f":["p","q"],"g":null,"h":[7]}"#)
    }

    @Test func `a double reads back as the same double`() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let back = try JSON.parse(JSON.number(value).bytes)
            #expect(back.numberValue?.bitPattern == value.bitPattern)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a value that JSON has no number for is null, and no member`(value: Double) {
        #expect(JSON.number(value).description == "null")
        var writer = JSONWriter()
        writer.object { $0.member("x", value) }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "{}")
    }

    @Test func `a text that ends with a number is one text`() throws {
        for (beginning, number) in [("a/", Int64.max), ("", .min), ("\"\n", 0), ("ü", -7)] {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("b", 1)
                writer.member("a", beginning, numbered: number)
                writer.member("c", 2)
            }
            #expect(try JSON.parse(writer.bytes) == ["b": 1, "a": .string("\(beginning)\(number)"), "c": 2])
        }
    }

    @Test func `every character survives writing and reading`() throws {
        let text = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init))) + "😀\u{10FFFF}"
        let bytes = JSON.string(text).bytes
        #expect(!bytes.contains { $0 < 0x20 })
        #expect(try JSON.parse(bytes) == .string(text))
    }

    @Test func `a number is the shortest text that reads back, as Swift itself writes it`() {
        var generator = SeededGenerator(seed: 3)
        var values: [Double] = [
            0, -0.0, 1, 5, -1, 10, 100, 1e-4, 9.9999e-5, 123456.789, 999_999.999_999_999, 999_999.999_999_9, 1e6, 1e12,
            1_780_300_800.125, 1_780_300_800.123456, 0.1, 0.3, 48.137154321, -11.575382987, 1e-9, 1e15, 0.000_100_000_1,
            99_999_999_999.999_9, 1e11, 100_000_000_000.5, 12_345_678.901_2, 12_345_678.901_23, 999_999.999_95, 5e-5,
            -1e-4,
        ]
        for _ in 0..<50_000 {
            let number = Double.random(in: -400...400, using: &generator)
            let places = Double([1, 10, 1e3, 1e6, 1e9, 1e12].randomElement(using: &generator) ?? 1)
            values.append((number * places).rounded() / places)
            values.append((number * 1e7 * places).rounded() / places)
            values.append(number)
            values.append((number * 1e8 * 1e4).rounded() / 1e4)
        }
        for value in values {
            var writer = JSONWriter()
            writer.number(value)
            let isSame = writer.bytes == Array(value.description.utf8)
            #expect(isSame, "\(value)")
        }
    }
}
