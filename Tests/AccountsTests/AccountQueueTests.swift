import Testing

@testable import Accounts

/// The order in which user ids are looked up if lookups may never end.
@Suite struct AccountQueueTests {
    private var queue = AccountQueue()

    @Test mutating func `user ids of one block whose lookups hang do not delay other blocks`() {
        var refused = 0
        for number in 0..<2_000 where !queue.add(200_000 + UInt32(number), isKnown: false) { refused += 1 }
        #expect(refused > 0, "one range does not fill the queue")
        let running = [queue.next(), queue.next(), queue.next()]
        #expect(running == [200_000, 200_001, nil], "nor does it occupy all lookups")
        let isTaken = queue.add(5_000, isKnown: false)
        let next = queue.next()
        #expect(isTaken && next == 5_000)
    }

    @Test mutating func `a range of user ids in two blocks whose lookups hang does not delay other blocks`() {
        var refused = 0
        for number: UInt32 in 0..<1_000 {
            // The first range that useradd(8) assigns, from both ends.
            for uid in [100_000 + number, 165_535 - number] where !queue.add(uid, isKnown: false) { refused += 1 }
        }
        #expect(refused > 0, "one range does not fill the queue")
        var running: [UInt32] = []
        while let uid = queue.next() { running.append(uid) }
        #expect(running == [100_000, 165_535, 100_001, 165_534], "nor does it occupy all lookups")
        let isAccepted = queue.add(5_000, isKnown: false)
        let next = queue.next()
        #expect(isAccepted && next == 5_000)
    }

    @Test mutating func `repeated lookups come after first ones, and leave room for them`() {
        var refused = 0
        for uid: UInt32 in 1_000..<3_000 where !queue.add(uid, isKnown: true, isRepeated: true) { refused += 1 }
        #expect(refused > 0, "the queue is full")
        let isAccepted = queue.add(5_000, isKnown: true)
        let running = [queue.next(), queue.next()]
        #expect(isAccepted && running == [5_000, 1_000])
    }

    @Test mutating func `user ids with a known account have priority whatever hangs`() {
        for block: UInt32 in 2..<8 {
            for number: UInt32 in 0..<10 { _ = queue.add(block << 16 + number, isKnown: false) }
        }
        var running: [UInt32] = []
        while let uid = queue.next() { running.append(uid) }
        #expect(running.count == AccountQueue.mostOthers && Set(running.map { $0 >> 16 }).count == 6)
        _ = queue.add(1_000, isKnown: true)
        let known = queue.next()
        #expect(known == 1_000)
        // The ended lookup makes room for the block without one.
        queue.ended(running[0])
        let next = queue.next()
        #expect(next == running[0] + 1)
    }

    @Test mutating func `a user id has one lookup at a time, and can be looked up again afterwards`() {
        for _ in 0..<3 { _ = queue.add(7, isKnown: false) }
        let first = queue.next()
        let second = queue.next()
        #expect(first == 7 && second == nil && queue.contains(7))
        queue.ended(7)
        #expect(!queue.contains(7))
        let again = queue.add(7, isKnown: false)
        #expect(again)
    }
}
