import Testing

@testable import Daemon

@Suite struct DelayedPositionsTests {
    private var delayed = DelayedPositions<Int>(delay: 100)

    @Test mutating func `the deadline is that of the first position`() {
        #expect(delayed.deadline == nil && delayed.isEmpty)
        _ = delayed.append(1, at: 10)
        _ = delayed.append(2, at: 90)
        #expect(delayed.deadline == 110)
        #expect(delayed.remove() == [1, 2])
        #expect(delayed.deadline == nil && delayed.isEmpty)
        _ = delayed.append(3, at: 200)
        #expect(delayed.deadline == 300)
    }

    @Test mutating func `256 positions have to be sent`() {
        for number in 1...255 { if delayed.append(number, at: 0) { Issue.record("\(number)") } }
        let isFull = delayed.append(256, at: 0)
        #expect(isFull)
    }

    @Test func `a deadline beyond the clock is never`() {
        var delayed = DelayedPositions<Int>(delay: .max - 5)
        _ = delayed.append(1, at: 10)
        #expect(delayed.deadline == .max)
    }

    @Test mutating func `those that did not leave are sent again, the newest 256`() {
        for number in 1...200 { _ = delayed.append(number, at: 0) }
        _ = delayed.remove()
        for number in 201...300 { _ = delayed.append(number, at: 0) }
        let lost = delayed.putBack()
        let again = delayed.remove()
        #expect(lost == 44 && again == Array(45...300))
        let nothing = delayed.putBack()
        #expect(nothing == 0 && delayed.remove() == Array(45...300))
    }

    @Test(arguments: [(true, 3), (false, 1)])
    mutating func `withdrawing drops all, and those that were offered`(isOffered: Bool, missed: Int) {
        for number in 1...2 { _ = delayed.append(number, at: 0) }
        _ = delayed.remove()
        _ = delayed.append(3, at: 0)
        let count = delayed.withdraw(offered: isOffered)
        #expect(count == missed && delayed.isEmpty && delayed.deadline == nil)
        #expect(delayed.putBack() == 0 && delayed.isEmpty)
    }
}
