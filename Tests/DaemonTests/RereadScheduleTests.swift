import Testing

@testable import Daemon

/// The intervals at which a home is read again, by a clock that the test sets.
@Suite struct RereadScheduleTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func `a home that is changed endlessly is read less and less often, another at once`() {
        var schedule = RereadSchedule()
        var reads: [UInt64] = []
        // Changed 20 times a second for ten minutes.
        for step: UInt64 in 1...12_000 {
            let now = 1_000 * Self.second + step * Self.second / 20
            schedule.changed(1, at: now)
            if schedule.removeDue(at: now).contains(1) { reads.append(now) }
        }
        #expect((20...35).contains(reads.count), "\(reads.count)")
        let now = 1_601 * Self.second
        schedule.changed(2, at: now)
        #expect(schedule.removeDue(at: now + RereadSchedule.quiet).contains(2))
    }

    @Test func `after a calm period a change is noticed soon`() {
        var schedule = RereadSchedule()
        var now = 1_000 * Self.second
        for _ in 0..<100 {
            schedule.changed(1, at: now)
            now = schedule.next ?? now
            #expect(schedule.removeDue(at: now) == [1])
        }
        now += 61 * Self.second
        schedule.changed(1, at: now)
        #expect(schedule.next == now + RereadSchedule.quiet)
        #expect(schedule.removeDue(at: now).isEmpty)
        schedule.forget(1)
        #expect(schedule.next == nil)
    }
}
