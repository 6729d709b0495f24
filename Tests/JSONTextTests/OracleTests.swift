import JSONText
import TestSupport
import TestTraits
import Testing

/// This module reads the same values as json-c.
@Suite(.computes) struct OracleTests {
    @Test func `json-c reads written texts alike`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let text = JSON.random(depth: 4, using: &random).bytes
            let theirs = try #require(Oracle.parse(text))
            #expect(try JSON.parse(text) == theirs)
        }
    }

    @Test func `damaged texts are read as json-c reads them, and none that it refuses`() {
        var random = SeededGenerator(seed: 4)
        let signs = Array(#"{}[]:,"\/ truefalsnu0123456789-+.eE"#.utf8)
        var read = 0
        for _ in 0..<40_000 {
            var text = JSON.random(depth: 2, using: &random).bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
                let place = text.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[place] = signs.randomElement(using: &random) ?? 0
                case 1: text.remove(at: place)
                default: text.insert(signs.randomElement(using: &random) ?? 0, at: place)
                }
            }
            guard let ours = attempt({ () throws(JSONError) in try JSON.parse(text) }) else { continue }
            read += 1
            #expect(Oracle.parse(text) == ours, "\(String(decoding: text, as: UTF8.self))")
        }
        #expect(read > 1_000)
    }

    @Test func `names of different Unicode composition are different names`() throws {
        let text = Array("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8)
        #expect(try JSON.parse(text).objectValue?.count == 2)
        #expect(Oracle.parse(text)?.objectValue?.count == 2)
    }
}
