import Location
import Testing

@testable import Daemon

@Suite struct BacklogTests {
    private let second: UInt64 = 1_000_000_000

    private func time(_ seconds: Double) -> UTCTime {
        UTCTime(microseconds: 1_780_000_000_000_000 + Int64(seconds * 1e6))
    }

    @Test func `buffered reports arrived at the intervals of the receiver's time`() {
        var backlog = Backlog(since: 100 * second)
        let now = 140 * second
        #expect(backlog.arrival(of: nil, at: now) == 100 * second)
        #expect(backlog.arrival(of: time(0), at: now) == 100 * second)
        #expect(backlog.arrival(of: time(0.5), at: now) == 100 * second + second / 2)
        #expect(backlog.arrival(of: nil, at: now) == 100 * second + second / 2)
        #expect(backlog.arrival(of: time(35), at: now) == 135 * second)
    }

    @Test func `no report arrived later than now, before its predecessor, or ages ago`() {
        var backlog = Backlog(since: 100 * second)
        let now = 103 * second
        #expect(backlog.arrival(of: time(0), at: now) == 100 * second)
        #expect(backlog.arrival(of: time(60), at: now) == now)
        #expect(backlog.arrival(of: time(1), at: now) == now)
        #expect(backlog.arrival(of: time(-1e9), at: now) == now)
        #expect(backlog.arrival(of: time(1e9), at: now) == now)
        // A time that is useless.
        var broken = Backlog(since: .max)
        #expect(broken.arrival(of: time(0), at: now) == now)
        #expect(broken.arrival(of: time(5), at: now) == now)
    }
}
