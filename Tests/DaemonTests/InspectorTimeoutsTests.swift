import Testing

@testable import Daemon

/// The limit of the deadlines that the inspector misses because of one user's processes.
@Suite struct InspectorTimeoutsTests {
    private static let second: UInt64 = 1_000_000_000
    private static let window = 600 * second

    /// Timeouts of a user, one each second.
    private static func timeouts(_ count: UInt64, of user: UInt32 = 1_000) -> InspectorTimeouts {
        var timeouts = InspectorTimeouts()
        for number in 0..<count { timeouts.add(user, at: number * second) }
        return timeouts
    }

    @Test func `a user reaches the limit with the sixth timeout, until the first is ten minutes old`() {
        #expect(Self.timeouts(5).end(of: 1_000, at: 5 * Self.second) == nil)
        let timeouts = Self.timeouts(6)
        #expect(timeouts.end(of: 1_000, at: 5 * Self.second) == Self.window)
        #expect(timeouts.end(of: 1_000, at: Self.window - 1) == Self.window)
        #expect(timeouts.nextEnd(at: Self.window - 1) == Self.window)
        #expect(timeouts.end(of: 1_000, at: Self.window) == nil)
        #expect(timeouts.nextEnd(at: Self.window) == nil)
    }

    @Test func `after the limit has ended, one more timeout reaches it again`() {
        var timeouts = Self.timeouts(6)
        timeouts.add(1_000, at: Self.window)
        #expect(timeouts.end(of: 1_000, at: Self.window) == Self.window + Self.second)
    }

    @Test func `timeouts every two minutes never reach the limit`() {
        var timeouts = InspectorTimeouts()
        for number: UInt64 in 0..<100 {
            timeouts.add(1_000, at: number * 120 * Self.second)
            #expect(timeouts.end(of: 1_000, at: number * 120 * Self.second) == nil)
        }
    }

    @Test func `the timeouts of a user do not count to another, and those of root to nobody`() {
        var timeouts = Self.timeouts(6)
        #expect(timeouts.end(of: 1_001, at: 6 * Self.second) == nil)
        for _ in 0..<100 { timeouts.add(0, at: 6 * Self.second) }
        #expect(timeouts.end(of: 0, at: 6 * Self.second) == nil)
        #expect(timeouts.userCount == 1)
    }

    @Test func `a limited number of users is remembered, and none for longer than ten minutes`() {
        var timeouts = InspectorTimeouts()
        let most = UInt32(InspectorTimeouts.mostUsers)
        for user in 1...most { for _ in 0..<6 { timeouts.add(user, at: UInt64(user)) } }
        #expect(timeouts.userCount == InspectorTimeouts.mostUsers)
        timeouts.add(most + 1, at: Self.second)
        #expect(timeouts.userCount == InspectorTimeouts.mostUsers)
        #expect(timeouts.end(of: 1, at: Self.second) == nil)
        #expect((2...most).allSatisfy { timeouts.end(of: $0, at: Self.second) != nil })
        timeouts.add(1, at: Self.second + Self.window)
        #expect(timeouts.userCount == 1)
    }
}
