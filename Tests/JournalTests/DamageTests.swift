import Glibc
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct DamageTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let setAside = "journal.db.damaged-20270115T080000Z"

    init() throws { directory = try TemporaryDirectory() }

    /// A closed journal of a thousand events, some 40 pages.
    func fill() async throws {
        let bench = try Bench(directory.path, clock: clock)
        for number in 1...1_000 { bench.journal.append(.remark(number)) }
        try await bench.close()
    }

    func garbage(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 13) } }

    @Test func `a database with a damaged header is set aside unchanged and a new one reports it`() async throws {
        try await fill()
        try directory.overwrite("journal.db", at: 0, with: garbage(100))
        let damaged = try directory.bytes("journal.db")

        let bench = try Bench(directory.path, clock: clock)
        #expect(await bench.state { $0 != .opening } == .running)
        try await bench.append(.remark(1))
        let events = try await bench.read().events
        #expect(events.map(\.kind) == ["journalDamaged", "note"])
        #expect(events[0].details == "{\"reason\":\"file is not a database\",\"file\":\"\(setAside)\"}")
        #expect(try directory.bytes(setAside) == damaged)
        #expect(try await bench.verify().isSound)
        try await bench.close()
    }

    @Test func `a database whose damage is detected later is set aside and the sequence continues`() async throws {
        try await fill()
        // After the schema and the first pages of all tables, some of which are read at the opening.
        for page in 30..<43 {
            try directory.overwrite("journal.db", at: page * 4_096, with: garbage(4_096))
        }
        let bench = try Bench(directory.path, clock: clock)
        _ = await bench.state { $0 != .opening }
        var query = EventQuery()
        query.limit = 1_000
        // Whether the opening, the read or the write detects it first depends on SQLite.
        do { _ = try await bench.read(query) } catch is StorageError {}
        let sequence = try await bench.append(.remark(1))
        let page = try await bench.read(query)
        #expect(page.events.map(\.kind) == ["journalDamaged", "note"])
        #expect(directory.names().contains(setAside))
        // A reader's cursor from before the damage is still smaller than new sequence numbers.
        #expect(sequence == 1_002)
        #expect(page.oldestRetained == 1_001)
        let verification = try await bench.verify()
        #expect(verification.findings == [])
        try await bench.close()

        let again = try Bench(directory.path, clock: clock)
        #expect(try await again.append(.remark(2)) == 1_003)
        try await again.close()
    }

    @Test func `an open database that is overwritten is set aside and awaited events are recorded`() async throws {
        try await fill()
        let bench = try Bench(directory.path, clock: clock)
        _ = await bench.state { $0 == .running }
        let file = "\(directory.path)/journal.db"
        // In another process: closing the file in this one would drop SQLite's locks.
        #expect(
            try run([
                "dd", "if=/dev/urandom", "of=\(file)", "bs=4096", "seek=1", "count=40", "conv=notrunc", "status=none",
            ])
                == 0)
        _ = try await bench.append(.remark(1))
        let kinds = try await bench.read().events.map(\.kind)
        #expect(kinds == ["journalDamaged", "note"] || kinds == ["note", "journalDamaged"])
        try await bench.close()
    }

    @Test(arguments: [16, 18, 19, 24, 40, 44, 96, 100, 105, 200, 2_000, 4_096, 8_192, 12_288, 16_384, 40_000])
    func `the journal records again whatever was overwritten`(offset: Int) async throws {
        try await fill()
        try directory.overwrite("journal.db", at: offset, with: garbage(20))
        let bench = try Bench(directory.path, clock: clock)
        var sequence: Int64?
        // Damage that is detected only now may cost one result.
        for _ in 1...2 where sequence == nil {
            do { sequence = try await bench.append(.remark(1)) } catch is StorageError {}
            do { _ = try await bench.verify() } catch is StorageError {}
        }
        #expect(sequence != nil)
        try await bench.close()
    }

    /// SQLite treats a file of one byte as an empty one.
    @Test(arguments: [0, 1, 99, 100, 4_096, 20_000])
    func `a truncated file does not stop the journal`(length: Int) async throws {
        try await fill()
        #expect(truncate("\(directory.path)/journal.db", off_t(length)) == 0)
        let bench = try Bench(directory.path, clock: clock)
        var query = EventQuery()
        query.limit = 1_000
        do { _ = try await bench.read(query) } catch is StorageError {}
        try await bench.append(.remark(1))
        #expect(directory.names().contains(setAside) == (length > 1))
        try await bench.close()
    }

    @Test func `a database without one of its tables is set aside`() async throws {
        try await fill()
        #expect(try run(["sqlite3", "\(directory.path)/journal.db", "DROP TABLE meta"]) == 0)
        let bench = try Bench(directory.path, clock: clock)
        try await bench.append(.remark(1))
        #expect(directory.names().contains(setAside))
        try await bench.close()
    }

    @Test func `two damaged databases within a second are saved under two names`() async throws {
        for _ in 1...2 {
            try await fill()
            try directory.overwrite("journal.db", at: 0, with: garbage(100))
            let bench = try Bench(directory.path, clock: clock)
            try await bench.append(.remark(1))
            try await bench.close()
        }
        #expect(directory.names() == ["journal.db", setAside, "\(setAside)-2", "journal.lock"].sorted())
    }

    @Test func `acknowledged events are preserved after a crash`() async throws {
        let crashed = try TemporaryDirectory()
        let bench = try Bench(directory.path, clock: clock)
        for number in 1...50 { try await bench.append(.remark(number)) }
        // The files as a kill would leave them; copied by another process because of SQLite's locks.
        let files = ["journal.db", "journal.db-wal"].map { "\(directory.path)/\($0)" }
        #expect(try run(["cp"] + files + [crashed.path]) == 0)
        try await bench.close()

        let after = try Bench(crashed.path, clock: clock)
        #expect(try await after.append(.remark(51)) == 51)
        #expect(try await after.verify().isSound)
        try await after.close()
    }
}
