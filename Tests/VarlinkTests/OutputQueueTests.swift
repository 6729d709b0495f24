import TestSupport
import Testing

@testable import Varlink

struct OutputQueueTests {
    @Test func `what is appended leaves in order whatever the sink takes`() throws {
        var random = SeededGenerator(seed: 9)
        var queue = OutputQueue<Int>(limit: 1 << 20)
        var expected: [UInt8] = []
        var out: [UInt8] = []
        for round in 0..<2_000 {
            let message = [UInt8](repeating: UInt8(round % 251), count: Int.random(in: 1...50, using: &random))
            expected += message
            try queue.append(message)
            if Bool.random(using: &random) {
                var room = Int.random(in: 0...120, using: &random)
                _ = queue.flush { rest in
                    let count = min(room, rest.count)
                    out += rest.prefix(count)
                    room -= count
                    return count
                }
            }
            #expect(queue.queuedBytes == expected.count - out.count)
        }
        _ = queue.flush { rest in
            out += rest
            return rest.count
        }
        #expect(out == expected)
        #expect(queue.isDrained)
    }

    @Test func `a message beyond the bound waits where no other does`() throws {
        var queue = OutputQueue<Int>(limit: 3)
        try queue.append([1, 2, 3, 4, 5])
        #expect(throws: OutputQueue<Int>.Full.self) { try queue.append([6]) }
        #expect(queue.flush { $0.count } == 5)
        try queue.append([6])
    }

    @Test func `only the rest of a message that was sent in part waits`() throws {
        var queue = OutputQueue<Int>(limit: 3)
        try queue.append([1, 2, 3, 4], sent: 2)
        #expect(queue.queuedBytes == 2)
        #expect(throws: OutputQueue<Int>.Full.self) { try queue.append([5, 6]) }
        try queue.append([5])
        var out: [UInt8] = []
        _ = queue.flush { rest in
            out += rest
            return rest.count
        }
        #expect(out == [3, 4, 5])
    }

    @Test func `the newest offer waits behind what is appended and knows what it replaced`() throws {
        var queue = OutputQueue<Int>(limit: 100)
        try queue.append([1])
        let replaced = [10, 11, 12].map { queue.offer($0) }
        #expect(replaced == [false, true, true])
        let early = queue.removeOffer()
        #expect(early == nil)
        _ = queue.flush { $0.count }
        #expect(!queue.isDrained)
        let taken = queue.removeOffer()
        #expect(taken?.value == 12)
        #expect(taken?.dropped == 2)
        queue.putBack(12, dropped: 2)
        _ = queue.offer(13)
        let newest = queue.removeOffer()
        #expect(newest?.value == 13)
        #expect(newest?.dropped == 3)
        #expect(queue.isDrained)
        _ = queue.offer(14)
        let discarded = [queue.discardOffer(), queue.discardOffer()]
        #expect(discarded == [1, 0])
        let none = queue.removeOffer()
        #expect(none == nil)
    }

    @Test func `what was discarded before an offer counts as long as no offer is sent`() {
        var queue = OutputQueue<Int>(limit: 100)
        _ = queue.offer(10)
        _ = queue.offer(11)
        let first = queue.discardOffer()
        #expect(first == 2)
        _ = queue.offer(12, missed: first)
        _ = queue.offer(13)
        let second = queue.discardOffer()
        #expect(second == 4)
        _ = queue.offer(14, missed: second)
        let sent = queue.removeOffer()
        #expect(sent?.value == 14 && sent?.dropped == 4)
    }
}
