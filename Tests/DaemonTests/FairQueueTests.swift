import TestSupport
import Testing

@testable import Daemon

/// How the shares of clients divide the room of a queue.
@Suite struct FairQueueTests {
    /// An element, by its share and its number there.
    private struct Item: Equatable, CustomStringConvertible {
        let share: Character
        let number: Int
        var description: String { "\(share)\(number)" }
    }

    private var queue = FairQueue<Character, Item>(capacity: 4)
    private var added: [Character: Int] = [:]

    /// Adds an element of a share, and returns the names of those without room.
    private mutating func add(_ share: Character, cost: Int = 1) -> [String] {
        added[share, default: 0] += 1
        let item = Item(share: share, number: added[share] ?? 0)
        return queue.add(item, of: share, cost: cost).map(\.description)
    }

    @Test mutating func `what one share adds takes nothing from a share that has less`() {
        #expect((1...5).map { _ in add("A") } == [[], [], [], [], ["A5"]], "alone it may use the whole queue")
        #expect(add("B") == ["A4"])
        #expect(add("B") == ["A3"])
        #expect(add("B") == ["B3"])
        #expect(add("A") == ["A6"])
        #expect(add("C") == ["B2"], "of equal shares the last one that has added something")
        #expect(queue.removeAll().map(\.description) == ["A1", "A2", "B1", "C1"])
        #expect(queue.isEmpty && queue.removeAll().isEmpty)
        #expect(add("A") == [], "there is room again")
    }

    @Test mutating func `a costly element counts for what it costs`() {
        #expect(add("A", cost: 3) == [])
        #expect(add("B") == [])
        #expect(add("B") == ["A1"])
        #expect(add("C", cost: 5) == ["C1"], "it has no room at all")
        #expect(add("C", cost: 2) == [])
        #expect(add("C", cost: 1) == ["C3"])
        #expect(queue.removeAll { $0.share == "B" }.map(\.description) == ["B1", "B2"])
        #expect(add("C", cost: 2) == [])
        #expect(queue.removeAll().map(\.description) == ["C2", "C4"])
    }

    @Test(arguments: 1...40)
    func `no share is refused while another one has more, and the cost never exceeds the room`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...30, using: &generator)
        var queue = FairQueue<Int, Int>(capacity: capacity)
        // The elements that wait, in the order of their arrival.
        var expected: [(number: Int, share: Int, cost: Int)] = []
        func cost(_ share: Int) -> Int { expected.filter { $0.share == share }.reduce(0) { $0 + $1.cost } }
        for number in 0..<400 {
            if Int.random(in: 0..<20, using: &generator) == 0 {
                let share = Int.random(in: 0..<5, using: &generator)
                let numbers = Set(expected.filter { $0.share == share }.map(\.number))
                #expect(queue.removeAll { numbers.contains($0) } == numbers.sorted())
                expected.removeAll { $0.share == share }
            }
            // One of them adds as much as all others.
            let share = Bool.random(using: &generator) ? 0 : Int.random(in: 0..<5, using: &generator)
            let new = Int.random(in: 1...3, using: &generator)
            let before = cost(share)
            let displaced = queue.add(number, of: share, cost: new)
            for other in displaced where other != number {
                guard let index = expected.firstIndex(where: { $0.number == other }) else {
                    Issue.record("\(other) did not wait")
                    return
                }
                #expect(cost(expected[index].share) > before + new, "\(seed): it had no more")
                expected.remove(at: index)
            }
            if displaced.last == number {
                #expect((0..<5).allSatisfy { cost($0) <= before + new }, "\(seed): another one has more")
            } else {
                expected.append((number, share, new))
            }
            #expect(expected.reduce(0) { $0 + $1.cost } <= capacity)
        }
        #expect(queue.removeAll() == expected.map(\.number))
    }
}
