import TestSupport
import Testing
import Varlink

struct MessageFramerTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `messages come out as they went in however they are cut`() throws {
        var random = SeededGenerator(seed: 3)
        let messages = (0..<300).map { [UInt8](repeating: UInt8(1 + $0 % 255), count: ($0 * 37) % 400) }
        let stream = Array(messages.map { $0 + [0] }.joined())
        for _ in 0..<20 {
            var framer = MessageFramer(limit: 400)
            var out: [[UInt8]] = []
            var position = 0
            while position < stream.count {
                let end = min(stream.count, position + Int.random(in: 1...1_000, using: &random))
                try framer.append(stream[position..<end], at: 0)
                position = end
                if Bool.random(using: &random), let message = framer.next() { out.append(message) }
            }
            while let message = framer.next() { out.append(message) }
            #expect(out == messages)
            #expect(framer.bufferedBytes == 0)
        }
    }

    @Test func `a message of the limit passes and one byte more does not`() throws {
        let limit = 1 << 20
        var framer = MessageFramer(limit: limit)
        let full = [UInt8](repeating: 32, count: limit)
        try framer.append(full + [0], at: 0)
        #expect(framer.next()?.count == limit)
        try framer.append(full, at: 0)
        #expect(throws: MessageFramer.TooLong(limit: limit)) { try framer.append([32], at: 0) }
        var ended = MessageFramer(limit: limit)
        #expect(throws: MessageFramer.TooLong(limit: limit)) { try ended.append(full + [32, 0], at: 0) }
        var second = MessageFramer(limit: limit)
        #expect(throws: MessageFramer.TooLong(limit: limit)) { try second.append([0] + full + [32], at: 0) }
    }

    @Test func `the memory of a large message is given back`() throws {
        var framer = MessageFramer(limit: 1 << 20)
        try framer.append([UInt8](repeating: 32, count: 1 << 20), at: 0)
        try framer.append([0, 32], at: 0)
        _ = framer.next()
        #expect(framer.capacity < 64 << 10)
        try framer.append([0], at: 0)
        #expect(framer.next() == [32])
        #expect(framer.next() == nil)
    }

    @Test func `an unfinished message is as old as its first byte`() throws {
        var framer = MessageFramer(limit: 100)
        #expect(framer.unfinishedSince == nil)
        try framer.append(bytes("ab"), at: 5)
        try framer.append(bytes("c"), at: 9)
        #expect(framer.unfinishedSince == 5)
        #expect(!framer.hasMessage)
        try framer.append(bytes("\0d"), at: 12)
        #expect(framer.hasMessage)
        #expect(framer.unfinishedSince == 12)
        try framer.append(bytes("\0"), at: 20)
        #expect(framer.unfinishedSince == nil)
        #expect(framer.next() == bytes("abc"))
        #expect(framer.next() == bytes("d"))
        #expect(framer.next() == nil)
    }
}
