import Cryptography
import Platform
import TestSupport
import Testing

@testable import Protection

@Suite struct RecoveryKeyTests {
    private func words(_ key: SymmetricKey) throws -> [String] {
        try RecoveryKey.text(of: key).withBytes { String(decoding: $0, as: UTF8.self) }
            .split(separator: " ").map(String.init)
    }

    private func key(_ text: String) throws -> SymmetricKey { try RecoveryKey.key(of: Secret(text)) }

    @Test func `24 words of four letters are the key again, however they are written`() throws {
        for _ in 0..<200 {
            let key = try SymmetricKey.random()
            let words = try words(key)
            #expect(words.count == 24 && words.allSatisfy { $0.count == 4 })
            #expect(try self.key(words.joined(separator: " ")).isEqual(to: key))
            #expect(try self.key("  " + words.joined(separator: "\n ").uppercased() + "\n").isEqual(to: key))
        }
    }

    @Test func `a mistyped word, two exchanged words and a missing word are named`() throws {
        let words = try words(SymmetricKey.random())
        #expect(throws: RecoveryKey.Mistake.count(23)) { try key(words.dropLast().joined(separator: " ")) }
        #expect(throws: RecoveryKey.Mistake.count(0)) { try key("") }
        var wrong = words
        wrong[6] = "xylo"
        #expect(throws: RecoveryKey.Mistake.word(7)) { try key(wrong.joined(separator: " ")) }
        wrong[6] = words[6] == "bada" ? "dada" : "bada"
        #expect(throws: RecoveryKey.Mistake.checksum) { try key(wrong.joined(separator: " ")) }
        var swapped = words
        let other = try #require(words.indices.dropFirst().first { words[$0] != words[0] })
        swapped.swapAt(0, other)
        #expect(throws: RecoveryKey.Mistake.checksum) { try key(swapped.joined(separator: " ")) }
        for mistake in [RecoveryKey.Mistake.word(7), .checksum, .count(3)] {
            // Words of a key may be parts of longer words, as "reco" is of "recovery".
            let shown = Set(mistake.description.split { !$0.isLetter }.map(String.init)).subtracting(["lota"])
            #expect(shown.isDisjoint(with: words))
        }
    }
}
