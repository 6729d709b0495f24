import TestSupport
import Testing

@testable import Varlink

@Suite struct KeptConversationTests {
    private static var full: KeptConversation {
        var kept = KeptConversation()
        kept.listenerName = "varlink"
        kept.note = [1, 2, 3]
        kept.input = Array(#"{"method":"a.b.C"#.utf8)
        kept.hasInputEnded = true
        kept.call = Array(#"{"method":"a.b.D","more":true}"#.utf8)
        kept.told = [1, .max, 3]
        return kept
    }

    @Test(arguments: [KeptConversation(), full])
    func `what is written is read`(_ kept: KeptConversation) {
        #expect(KeptConversation(decoding: kept.encoded) == kept)
    }

    @Test func `a part of it is nothing, and so is more`() {
        let bytes = Self.full.encoded
        for count in bytes.indices { #expect(KeptConversation(decoding: Array(bytes[..<count])) == nil) }
        #expect(KeptConversation(decoding: bytes + [0]) == nil)
    }

    @Test func `another version is not read`() {
        var bytes = Self.full.encoded
        bytes[0] += 1
        #expect(KeptConversation(decoding: bytes) == nil)
    }

    @Test func `damaged bytes are read as something or nothing, and never further than there are any`() {
        var generator = SeededGenerator(seed: 7)
        let sound = Self.full.encoded
        for _ in 0..<20_000 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            guard let kept = KeptConversation(decoding: bytes) else { continue }
            #expect(kept.input.count + kept.note.count + (kept.call?.count ?? 0) <= bytes.count)
        }
    }

    @Test func `a digest tells each bit and the length`() {
        let bytes = Array("The quick brown fox jumps".utf8)
        var digests: Set<UInt64> = [KeptDigest.of(bytes), KeptDigest.of(bytes + [0]), KeptDigest.of([])]
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                digests.insert(KeptDigest.of(other))
            }
        }
        #expect(digests.count == 3 + bytes.count * 8)
    }
}
