import JSONText
import TestSupport
import Testing

/// This module reads the same values as json-c.
@Suite struct OracleTests {
    /// A random value of at most this depth.
    private static func value(depth: Int, using random: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2:
            return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
        case 3: return .number((Double.random(in: -1e6...1e6, using: &random) * 1e3).rounded() / 1e3)
        case 4, 5: return .string(text(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth - 1, using: &random) })
        default:
            // Some names occur twice, and some objects have more members than are compared one by one.
            let count = Int.random(in: 0..<40, using: &random)
            return .object(
                (0..<count).map { _ in
                    JSON.Member(
                        "\(Int.random(in: 0..<60, using: &random))",
                        value(depth: depth > 1 ? 1 : 0, using: &random))
                })
        }
    }

    private static func text(using random: inout SeededGenerator) -> String {
        let signs: [Character] = ["a", "\"", "\\", "/", "\n", "\u{1}", "\u{7f}", "é", "e\u{301}", "€", "😀", " "]
        return String(
            (0..<Int.random(in: 0..<9, using: &random)).compactMap { _ in signs.randomElement(using: &random) })
    }

    @Test func `json-c reads written texts alike`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let text = Self.value(depth: 4, using: &random).bytes
            let theirs = try #require(Oracle.parse(text))
            #expect(try JSON.parse(text) == theirs)
        }
    }

    @Test func `damaged texts are read as json-c reads them, and none that it refuses`() {
        var random = SeededGenerator(seed: 4)
        let signs = Array(#"{}[]:,"\/ truefalsnu0123456789-+.eE"#.utf8)
        var read = 0
        for _ in 0..<40_000 {
            var text = Self.value(depth: 2, using: &random).bytes
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
