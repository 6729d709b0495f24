import Location
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct RecordingRetentionTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")
    var options = JournalOptions()

    init() throws {
        directory = try TemporaryDirectory()
        options.recordingRetention = RecordingRetention(
            keepAcknowledged: .zero, maximumAge: .seconds(86_400), maximumBytes: 1 << 30)
    }

    /// Records positions in one transaction.
    func record(_ bench: Bench, _ id: RecordingID, _ numbers: ClosedRange<Int>) async throws {
        for number in numbers { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id, limit: 0)
    }

    func dropped(_ bench: Bench) async throws -> [String] {
        var query = EventQuery()
        query.kinds = ["positionsDropped"]
        return try await bench.read(query).events.map(\.details)
    }

    @Test func `acknowledged positions are retained for the configured time and then erased`() async throws {
        var options = options
        options.recordingRetention.keepAcknowledged = .seconds(3_600)
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        try await record(bench, id, 1...10)
        clock.advance(seconds: 1_000)
        try await record(bench, id, 11...20)
        try await bench.acknowledge(id, upTo: 15)
        #expect(try await bench.positions(of: id).output.count == 20)
        clock.advance(seconds: 3_500)
        try await record(bench, id, 21...21)
        #expect(try await bench.positions(of: id).output.count == 21)
        clock.advance(seconds: 700)
        try await bench.append(.remark(1))
        #expect(try await bench.positions(of: id).output.map(\.sequence) == Array(11...21))
        #expect(try await bench.verify().findings == [])
        // Pending positions are not erased with them.
        clock.advance(seconds: 10_000)
        try await bench.append(.remark(2))
        #expect(try await bench.positions(of: id).output.map(\.sequence) == Array(16...21))
        #expect(try await dropped(bench) == [])

        bench.journal.setRecordingRetention(self.options.recordingRetention)
        try await bench.acknowledge(id, upTo: 18)
        #expect(try await bench.positions(of: id).output.map(\.sequence) == [19, 20, 21])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `positions over the age limit are dropped and an event reports their number and period`() async throws {
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        try await record(bench, id, 1...10)
        try await bench.acknowledge(id, upTo: 3)
        try await bench.reject(id, 5)
        clock.advance(seconds: 3_600)
        try await record(bench, id, 11...12)
        clock.advance(seconds: 86_500)
        try await bench.append(.remark(1))
        #expect(try await bench.positions(of: id).output.map(\.sequence) == [11, 12])
        #expect(
            try await dropped(bench) == [
                #"{"recording":"way","reason":"age","count":6,"from":"2027-01-15T08:00:04.000000Z","to":"2027-01-15T08:00:10.000000Z"}"#,
                #"{"recording":"way","reason":"age","deadLetters":1,"from":"2027-01-15T08:00:00.000000Z","to":"2027-01-15T08:00:00.000000Z"}"#,
            ])
        var stored = try await bench.start(hike)
        #expect((stored.dropped, stored.waiting, stored.deadLetters) == (7, 2, 0))
        #expect(try await bench.verify().findings == [])
        clock.advance(seconds: 90_000)
        try await bench.append(.remark(2))
        stored = try await bench.start(hike)
        #expect((stored.dropped, stored.waiting, stored.deadLetters, stored.last) == (9, 0, 0, 12))
        #expect(stored.bytes == 0)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `a clock that was set back to 1970 makes nothing too old`() async throws {
        let unset = ManualClock(utcSeconds: 20)
        let first = try Bench(directory.path, options: options, clock: unset)
        let id = try await first.start(hike).id
        try await record(first, id, 1...3)
        unset.advance(seconds: 1_000)
        try await record(first, id, 4...5)
        try await first.close()
        let second = try Bench(directory.path, options: options, clock: clock)
        try await second.append(.remark(1))
        #expect(try await second.positions(of: id).output.count == 5)
        try await second.close()
    }

    @Test func `over the size acknowledged positions are dropped first, then dead letters, then the oldest`()
        async throws
    {
        var options = options
        options.recordingRetention.keepAcknowledged = .seconds(3_600)
        options.positionCapacity = 100_000
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        let other = try await bench.start(.named("other")).id
        // Those of the other recording are the oldest.
        for number in 1...5_000 { bench.journal.record(.step(number), in: other) }
        try await record(bench, id, 10_001...40_000)
        try await bench.acknowledge(id, upTo: 10_000)
        for number in 20_001...20_050 {
            try await bench.reject(id, Int64(number), message: String(repeating: "x", count: 900))
        }
        let before = try await bench.statistics()
        #expect(before.positions == 35_000)

        // A little less than is stored: dropping the acknowledged ones is sufficient.
        func limit(_ bytes: Int64) async throws {
            bench.journal.setRecordingRetention(
                RecordingRetention(
                    keepAcknowledged: .seconds(3_600), maximumAge: .seconds(86_400), maximumBytes: bytes))
            for number in 1...8 { try await bench.append(.remark(number)) }
            let verification = try await bench.verify()
            #expect(verification.findings == [])
        }
        try await limit(before.positionBytes - 100_000)
        #expect(try await bench.positions(of: id, limit: 1).output.first?.sequence ?? 0 > 1)
        #expect(try await dropped(bench) == [])
        #expect(try await bench.start(hike).deadLetters == 50)
        #expect(try await bench.start(.named("other")).waiting == 5_000)

        let small = try await bench.statistics().positionBytes / 2
        try await limit(small)
        #expect(try await bench.statistics().positionBytes <= small)
        let stored = try await bench.start(hike)
        #expect(stored.deadLetters == 0)
        #expect(try await bench.start(.named("other")).waiting == 0)
        #expect(stored.waiting > 1_000)
        let page = try await bench.positions(of: id, after: stored.last - 10)
        #expect(page.output.count == 10)
        let events = try await dropped(bench)
        #expect(events.contains { $0.contains(#""deadLetters":50"#) })
        #expect(events.contains { $0.contains(#""reason":"size","count":"#) })
        try await bench.close()
    }

    @Test func `many positions do not displace events`() async throws {
        var options = options
        options.positionCapacity = 100_000
        options.retention = Retention(maximumAge: .seconds(90 * 86_400), maximumBytes: 1 << 20)
        let bench = try Bench(directory.path, options: options, clock: clock)
        for number in 1...1_000 { bench.journal.append(.remark(number)) }
        let id = try await bench.start(hike).id
        try await record(bench, id, 1...60_000)
        clock.advance(seconds: 1_000)
        try await bench.append(.remark(1_001))
        #expect(try await bench.statistics().bytes > 2 << 20)
        #expect(try await bench.read().oldestRetained == 1)
        try await bench.close()
    }

    @Test func `a large recording is erased in passes and its space is returned`() async throws {
        var options = options
        options.positionCapacity = 100_000
        let bench = try Bench(directory.path, options: options, clock: clock)
        let id = try await bench.start(hike).id
        try await record(bench, id, 1...50_000)
        try await bench.reject(id, 17)
        #expect(try await bench.erase(hike) == 50_000)
        await #expect(throws: StorageError.self) { try await bench.positions(of: id) }
        try await bench.close()
        let again = try Bench(directory.path, options: options, clock: clock)
        #expect(await again.loadedRecordings() == LoadedRecordings())
        for number in 1...8 { try await again.append(.remark(number)) }
        #expect(try await again.verify().findings == [])
        #expect(try await again.statistics().bytes < 1 << 20)
        try await again.close()
        let database = try Database(path: "\(directory.path)/journal.db", isReadOnly: true)
        for table in ["positions", "recordings", "deadLetters", "gaps", "marks"] {
            #expect(try database.integer("SELECT count(*) FROM \(table)", as: "count") == 0, "\(table)")
        }
    }
}
