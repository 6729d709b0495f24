import TestSupport
import Testing

@testable import Journal

@Suite(.timeLimit(.minutes(15))) struct RetentionTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)

    init() throws { directory = try TemporaryDirectory() }

    func options(ageSeconds: Int64 = 86_400 * 90, bytes: Int64 = 64 << 20) -> JournalOptions {
        var options = JournalOptions()
        options.retention = Retention(maximumAge: .seconds(ageSeconds), maximumBytes: bytes)
        return options
    }

    @Test func `expired events are dropped with the next commit after ten minutes and an event reports it`()
        async throws
    {
        let bench = try Bench(directory.path, options: options(ageSeconds: 3_600), clock: clock)
        for number in 1...5 { try await bench.append(.remark(number)) }
        clock.advance(seconds: 3_000)
        for number in 6...8 { try await bench.append(.remark(number)) }
        #expect(try await bench.read().oldestRetained == 1)
        clock.advance(seconds: 601)
        try await bench.append(.remark(9))
        let page = try await bench.read()
        #expect(page.oldestRetained == 6)
        #expect(page.events.map(\.sequence) == [6, 7, 8, 9, 10])
        let notice = try #require(page.events.last)
        #expect(notice.eventKind == .eventsDropped)
        #expect(
            notice.details
                == #"{"reason":"age","count":5,"from":"2027-01-15T08:00:00.000000Z","#
                + #""to":"2027-01-15T08:00:00.000000Z","firstSequence":1,"lastSequence":5}"#)
        let verification = try await bench.verify()
        #expect(verification.findings == [])
        #expect(verification.events == 5)
        try await bench.close()

        let again = try Bench(directory.path, options: options(ageSeconds: 3_600), clock: clock)
        #expect(try await again.verify().isSound)
        try await again.close()
    }

    @Test func `a clock that is set back to 1970 drops nothing`() async throws {
        let first = try Bench(directory.path, options: options(ageSeconds: 3_600), clock: clock)
        for number in 1...5 { try await first.append(.remark(number)) }
        try await first.close()
        let second = try Bench(
            directory.path, options: options(ageSeconds: 3_600), clock: ManualClock(utcSeconds: 20))
        try await second.append(.remark(6))
        let page = try await second.read()
        #expect(page.events.map(\.sequence) == Array(1...6))
        #expect(try await second.verify().findings == [])
        try await second.close()
    }

    @Test func `over the size the oldest are dropped and the file shrinks`() async throws {
        let padding = EventValue.text(String(repeating: "x", count: 1_000))
        let large = try Bench(directory.path, options: options(), clock: clock)
        for _ in 1...3_000 { large.journal.append(Event(.note, details: ["padding": padding])) }
        try await large.close()
        let before = try directory.bytes("journal.db").count
        #expect(before > 3_000_000)

        let limited = try Bench(directory.path, options: options(bytes: 1 << 20), clock: clock)
        // A pass is bounded: each of these commits drops as many as one pass may.
        for number in 1...3 { try await limited.append(.remark(number)) }
        let statistics = try await limited.statistics()
        #expect(statistics.oldestRetained > 1_500)
        let verification = try await limited.verify()
        #expect(verification.findings == [])
        try await limited.close()
        let after = try directory.bytes("journal.db").count
        #expect(after <= 1 << 20)
        #expect(after > 1 << 19)
    }

    @Test func `new limits apply from the next commit on`() async throws {
        let bench = try Bench(directory.path, options: options(), clock: clock)
        for number in 1...5 { try await bench.append(.remark(number)) }
        clock.advance(seconds: 100)
        bench.journal.setRetention(Retention(maximumAge: .seconds(50), maximumBytes: 1 << 20))
        try await bench.append(.remark(6))
        #expect(try await bench.read().oldestRetained == 6)
        try await bench.close()
    }
}
