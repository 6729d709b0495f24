import Testing

@testable import Daemon

/// Rate limits, by a clock that the test sets.
@Suite struct AllowanceTests {
    private static let minute: UInt64 = 60_000_000_000
    private static let start: UInt64 = 500

    private func taken(_ allowance: inout Allowance<String>, _ key: String, at now: UInt64, tries: Int = 50) -> Int {
        (0..<tries).count { _ in allowance.consume(key, at: now) }
    }

    @Test func `a burst of actions is permitted, and one more with each interval`() {
        var allowance = Allowance<String>(3, every: .seconds(60))
        #expect(allowance.left(for: "a", at: Self.start) == 3)
        #expect(taken(&allowance, "a", at: Self.start) == 3)
        #expect(taken(&allowance, "a", at: Self.start + Self.minute - 1) == 0)
        #expect(taken(&allowance, "a", at: Self.start + Self.minute) == 1)
        #expect(taken(&allowance, "a", at: Self.start + 3 * Self.minute) == 2)
        #expect(taken(&allowance, "a", at: Self.start + 99 * Self.minute) == 3)
    }

    @Test func `the time at which several actions have room is known`() {
        var allowance = Allowance<String>(3, every: .seconds(60))
        #expect(taken(&allowance, "a", at: Self.start) == 3)
        let due = allowance.time(of: 2, for: "a")
        #expect(due == Self.start + 2 * Self.minute)
        #expect(allowance.left(for: "a", at: due - 1) == 1)
        #expect(allowance.left(for: "a", at: due) == 2)
    }

    @Test func `one key's actions cost no other key, and a reset restores the full allowance`() {
        var allowance = Allowance<String>(2, every: .seconds(60))
        #expect(taken(&allowance, "a", at: Self.start) == 2)
        #expect(taken(&allowance, "b", at: Self.start) == 2)
        allowance.reset("a")
        #expect(taken(&allowance, "a", at: Self.start) == 2)
        #expect(taken(&allowance, "b", at: Self.start) == 0)
    }

    @Test func `no more keys are stored than there is room for, and the others share one allowance`() {
        var allowance = Allowance<String>(2, every: .seconds(60), capacity: 10)
        var all = 0
        for number in 0..<1_000 { all += taken(&allowance, "\(number)", at: Self.start, tries: 5) }
        #expect(allowance.count == 10)
        #expect(all == 22, "ten of their own and one shared")
        // A key with its full allowance does not need to be stored.
        let later = Self.start + 2 * Self.minute
        #expect(taken(&allowance, "new", at: later) == 2)
        #expect(allowance.count == 1)
    }
}
