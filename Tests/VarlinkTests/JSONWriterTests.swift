import TestSupport
import Testing
import Varlink

struct JSONWriterTests {
    @Test func `commas stand between members and values only`() {
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
    func `what JSON has no number for is null and no member`(value: Double) {
        #expect(JSON.number(value).description == "null")
        var writer = JSONWriter()
        writer.object { $0.member("x", value) }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "{}")
    }

    @Test func `every character survives writing and reading`() throws {
        let text = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init))) + "😀\u{10FFFF}"
        let bytes = JSON.string(text).bytes
        #expect(!bytes.contains { $0 < 0x20 })
        #expect(try JSON.parse(bytes) == .string(text))
    }
}
