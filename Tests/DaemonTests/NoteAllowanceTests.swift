import Accounts
import Authorization
import Journal
import Location
import Testing

@testable import Daemon

/// The limits on the events of apps, by a clock that the test sets.
@Suite struct NoteAllowanceTests {
    private var notes = NoteAllowance()

    private func instant(_ seconds: Double) -> Instant {
        Instant(
            monotonicNanoseconds: UInt64((1_000 + seconds) * 1_000_000_000),
            utc: UTCTime(microseconds: Int64((1_800_000_000 + seconds) * 1_000_000)))
    }

    private func event(_ app: String?, _ uid: UInt32 = 7) -> Event { Event(.appInUse, app: app, uid: uid) }

    private mutating func taken(_ event: Event, tries: Int, at seconds: Double) -> Int {
        var taken = 0
        for _ in 0..<tries where notes.consume(event, at: instant(seconds)) { taken += 1 }
        return taken
    }

    private func value(_ name: String, of event: Event?) -> EventValue? {
        event?.details.entries.first { $0.name == name }?.value
    }

    @Test mutating func `events beyond an app's allowance are counted, and reported once there is room again`() throws {
        var written = 0
        for number in 0..<500 where notes.consume(event("a"), at: instant(Double(number) / 10)) { written += 1 }
        #expect(written == 60)
        let due = try #require(notes.nextReport)
        #expect(due == instant(360).monotonicNanoseconds)
        let early = notes.reports(at: instant(359))
        #expect(early.isEmpty)
        let more = taken(event("a"), tries: 1, at: 359)
        #expect(more == 0, "further events are omitted until the report")

        let reports = notes.reports(at: instant(360))
        #expect(reports.count == 1 && reports.first?.kind == .eventsDropped)
        #expect(reports.first?.app == "a" && reports.first?.uid == 7)
        #expect(value("count", of: reports.first) == .integer(441))
        #expect(value("from", of: reports.first) == .text("2027-01-15T08:00:06.000000Z"))
        #expect(value("to", of: reports.first) == .text("2027-01-15T08:05:59.000000Z"))
        #expect(notes.nextReport == nil)
        // The report was one of the six.
        let again = taken(event("a"), tries: 9, at: 360)
        #expect(again == 5)
    }

    @Test mutating func `an app that continues for a day makes no more than its allowance`() {
        var written = 0
        for second in stride(from: 0.0, to: 86_400, by: 10) {
            if notes.consume(event("a"), at: instant(second)) { written += 1 }
            written += notes.reports(at: instant(second)).count
        }
        #expect(written <= 60 + 24 * 60 && written > 1_400)
    }

    @Test mutating func `one app's events cost no other app and no other user`() {
        for _ in 0..<100 { _ = notes.consume(event("a"), at: instant(0)) }
        for other in [event("b"), event("a", 8), event(nil)] {
            let written = taken(other, tries: 100, at: 0)
            #expect(written == 60)
        }
        let reports = notes.allReports()
        #expect(reports.map { value("count", of: $0) } == Array(repeating: .integer(40), count: 4))
        #expect(notes.nextReport == nil)
    }

    @Test func `all omissions are counted, even of more apps than are stored`() {
        var notes = NoteAllowance(capacity: 4)
        var written: Int64 = 0
        for number in 0..<100 {
            for _ in 0..<100 where notes.consume(event("app\(number)"), at: instant(0)) { written += 1 }
        }
        #expect(written == 5 * 60)
        #expect(notes.count <= 5)
        var missing: Int64 = 0
        for report in notes.allReports() {
            if case .integer(let count)? = value("count", of: report) { missing += count }
        }
        #expect(written + missing == 10_000)
    }

    @Test mutating func `any number of a user's apps share one budget, and its end is reported at once`() throws {
        var written = 0
        for number in 0..<5_000 where notes.consume(event("app\(number)"), account: 7, at: instant(0)) { written += 1 }
        #expect(written == NoteAllowance.mostOfAccount)
        let exhaustions = notes.drainExhaustions()
        #expect(exhaustions.count == 1 && exhaustions.first?.uid == 7 && exhaustions.first?.app == nil)
        let further = notes.drainExhaustions()
        #expect(further.isEmpty)
        #expect(notes.count < 1_000, "memory does not grow with the number of apps")

        let other = notes.consume(event("a", 8), account: 8, at: instant(0))
        let root = notes.consume(event("a", 0), at: instant(0))
        #expect(other && root, "another account's events and root's are recorded")

        let due = try #require(notes.nextReport)
        let later = Double(due) / 1e9 - 1_000
        let reports = notes.reports(at: instant(later))
        #expect(reports.count == 1 && value("count", of: reports.first) == .integer(4_400))
        #expect(reports.first?.uid == 7 && reports.first?.app == nil)
        let again = notes.consume(event("app1"), account: 7, at: instant(later))
        #expect(again && notes.nextReport == nil)
    }

    @Test mutating func `a user who continues for a day makes no more events than an account's budget`() {
        var written = 0
        for second in stride(from: 0.0, to: 86_400, by: 5) {
            for number in 0..<20 where notes.consume(event("app\(second)-\(number)"), account: 7, at: instant(second)) {
                written += 1
            }
            written += notes.drainExhaustions().count + notes.reports(at: instant(second)).count
        }
        #expect(written <= 600 + 24 * 600 + 2 * 24 * 10 && written > 14_000)
    }

    @Test mutating func `user ids without an account share one budget that names no user`() throws {
        for number in 0..<1_000 {
            _ = notes.consume(event("a", 100_000 + UInt32(number)), account: UserAccounts.unaccounted, at: instant(0))
        }
        let exhaustions = notes.drainExhaustions()
        #expect(exhaustions.count == 1 && exhaustions.first?.uid == nil)
        let reports = notes.allReports()
        #expect(reports.count == 1 && reports.first?.uid == nil)
        #expect(value("count", of: reports.first) == .integer(400))
    }
}
