import Testing

@testable import Sync

/// When the changes of programs are sent.
@Suite struct SendingTimeTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 100

    @Test func `changes are sent after a second without further ones`() {
        var time = SendingTime()
        #expect(time.due == nil)
        time.noteChange(at: Self.start)
        #expect(time.due == Self.start + Self.second)
        time.noteChange(at: Self.start + Self.second / 2)
        #expect(time.due == Self.start + Self.second / 2 + Self.second)
        time.hurry(at: Self.start + Self.second)
        #expect(time.due == Self.start + Self.second)
        time.end()
        #expect(time.due == nil)
    }

    @Test func `a program that changes something again and again postpones the sending by ten seconds at most`() {
        var time = SendingTime()
        var now = Self.start
        time.noteChange(at: now)
        while let due = time.due, now < due, now < Self.start + 60 * Self.second {
            now += Self.second / 2
            time.noteChange(at: now)
        }
        #expect(now == Self.start + 10 * Self.second)
        #expect(time.due == now)
        // Until nothing is left to send, a further change postpones nothing.
        time.noteChange(at: now + 1)
        #expect(time.due == now)
        time.end()
        time.noteChange(at: now + 2)
        #expect(time.due == now + 2 + Self.second)
    }
}
