import Authorization
import Glibc
import Location
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct RecordingDamageTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")
    let other = RecordingKey.named("other", of: "org.example.other")
    var options = JournalOptions()

    init() throws {
        directory = try TemporaryDirectory()
        options.positionCapacity = 10_000
    }

    /// A closed journal with two recordings: in one 1 to 100 are acknowledged, and 250 is a dead letter.
    func fill() async throws -> (hike: RecordingID, other: RecordingID) {
        let bench = try Bench(directory.path, options: options, clock: clock)
        let ids = (hike: try await bench.start(hike).id, other: try await bench.start(other).id)
        for number in 1...5_000 {
            bench.journal.record(.step(number), in: ids.hike)
            if number <= 300 { bench.journal.record(.step(number), in: ids.other) }
        }
        _ = try await bench.positions(of: ids.hike, limit: 0)
        try await bench.acknowledge(ids.hike, upTo: 100, sent: 70, filtered: 30)
        try await bench.reject(ids.hike, 250, message: "no")
        try await bench.append(changes: [.grant(hike.app, Grant(permission: .always))])
        try await bench.close()
        return ids
    }

    func page(of table: String) throws -> Int {
        let database = try Database(path: "\(directory.path)/journal.db", isReadOnly: true)
        let root = try database.integer(
            "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", as: "find a table")
        return Int(try #require(root)) - 1
    }

    /// The leaf pages of positions, recognized by their many payloads.
    func leaves() throws -> [Int] {
        let bytes = try directory.bytes("journal.db")
        // 10: a leaf of an index, fileformat2.html section 1.6; a payload's first bytes are version and flags.
        return stride(from: 0, to: bytes.count, by: 4_096).filter { bytes[$0] == 10 && bytes[$0 + 4] > 25 }
            .map { $0 / 4_096 }
    }

    func all(_ bench: Bench, _ id: RecordingID) async throws -> [Int64] {
        var numbers: [Int64] = []
        while true {
            let page = try await bench.positions(of: id, after: numbers.last ?? 0).output
            if page.isEmpty { return numbers }
            for one in page { #expect(one.position == .step(Int(one.sequence))) }
            numbers += page.map(\.sequence)
        }
    }

    @Test(arguments: ["meta", "grants"])
    func `recorded positions are not erased when the decisions are lost`(damaged: String) async throws {
        _ = try await fill()
        try directory.overwrite(
            "journal.db", at: page(of: damaged) * 4_096, with: [UInt8](repeating: 0x5a, count: 4_096))
        for _ in 0..<2 {
            let bench = try Bench(directory.path, options: options, clock: clock)
            let recordings = try #require(await bench.loadedRecordings()).recordings
            #expect(recordings.map(\.key) == [other, hike])
            let isKnown = damaged == "meta"
            #expect(recordings.map(\.options.onRevoke) == Array(repeating: isKnown ? .erase : .keep, count: 2))
            #expect(await bench.loaded()?.state.grants[hike.app]?.permission == (isKnown ? .always : nil))
            try await bench.close()
        }
    }

    @Test func `pending positions survive a journal whose events are damaged`() async throws {
        let ids = try await fill()
        let page = try page(of: "meta")
        try directory.overwrite("journal.db", at: page * 4_096, with: [UInt8](repeating: 0x5a, count: 4_096))
        let bench = try Bench(directory.path, options: options, clock: clock)
        let loaded = try #require(await bench.loadedRecordings())
        #expect(loaded.loss == nil)
        #expect(loaded.recordings.map(\.key) == [other, hike])
        #expect(try await all(bench, ids.hike) == Array(101...249) + Array(251...5_000))
        #expect(try await all(bench, ids.other) == Array(1...300))
        let letter = try await bench.deadLetters(of: ids.hike).output.first
        #expect(letter?.position == .step(250))
        #expect(letter?.message == "no")
        let stored = try await bench.start(hike)
        #expect((stored.acknowledged, stored.waiting, stored.deadLetters, stored.dropped) == (100, 4_899, 1, 0))
        #expect(stored.oldestWaiting == UTCTime(microseconds: 1_800_000_101_000_000))
        #expect(try await bench.verify().findings == [])
        // The numbers continue after the last one.
        bench.journal.record(.step(5_001), in: ids.hike)
        #expect(try await bench.positions(of: ids.hike, after: 5_000).output.map(\.sequence) == [5_001])
        try await bench.close()
        let again = try Bench(directory.path, options: options, clock: clock)
        #expect(try await again.verify().findings == [])
        #expect(await again.loadedRecordings()?.recordings.map(\.waiting) == [300, 4_900])
        try await again.close()
    }

    @Test func `positions around unreadable pages are saved and the loss is reported`() async throws {
        let ids = try await fill()
        let leaves = try leaves()
        #expect(leaves.count > 30)
        for index in [3, 4, 11, leaves.count - 3] {
            try directory.overwrite(
                "journal.db", at: leaves[index] * 4_096, with: [UInt8](repeating: 0x5a, count: 4_096))
        }
        let meta = try page(of: "meta")
        try directory.overwrite("journal.db", at: meta * 4_096, with: [UInt8](repeating: 0x5a, count: 4_096))
        let bench = try Bench(directory.path, options: options, clock: clock)
        let hikes = try await all(bench, ids.hike)
        let others = try await all(bench, ids.other)
        // A page contains about forty of them.
        let lost = 4_899 + 300 - hikes.count - others.count
        #expect((100...400).contains(lost))
        var query = EventQuery()
        query.kinds = ["positionsDropped"]
        let events = try await bench.read(query).events
        #expect(events.allSatisfy { $0.details.contains(#""reason":"damaged""#) })
        let stored = [try await bench.start(hike), try await bench.start(other)]
        #expect(stored.map(\.dropped).reduce(0, +) == Int64(lost))
        #expect(stored.map(\.waiting) == [Int64(hikes.count), Int64(others.count)])
        #expect(stored.map(\.last) == [5_000, 300])
        #expect(try await bench.verify().findings == [])
        #expect(try await bench.acknowledge(ids.hike, upTo: 5_000) == 5_000)
        #expect(try await bench.verify().findings == [])
        #expect(try await bench.start(hike).waiting == 0)
        try await bench.close()
    }

    @Test func `damage detected while the journal runs costs no cursor and nothing readable`() async throws {
        let ids = try await fill()
        let bench = try Bench(directory.path, options: options, clock: clock)
        _ = await bench.state { $0 == .running }
        #expect(try await bench.acknowledge(ids.hike, upTo: 200) == 200)
        let pages = [try page(of: "recordings"), try page(of: "meta"), try page(of: "events")]
        do {
            let second = try Database(path: "\(directory.path)/journal.db")
            // Pages in the log are not read from the file, and would be written over the damage.
            try second.execute("PRAGMA wal_checkpoint(TRUNCATE)", as: "empty the log")
            for page in pages {
                // In another process: closing the file in this one would drop SQLite's locks.
                #expect(
                    try run([
                        "dd", "if=/dev/zero", "of=\(directory.path)/journal.db", "bs=4096", "seek=\(page)", "count=1",
                        "conv=notrunc", "status=none",
                    ]) == 0)
            }
            // A change by another connection makes the first one discard its cached pages.
            let version = try #require(try second.integer("PRAGMA user_version", as: "read the version"))
            try second.execute("PRAGMA user_version = \(version)", as: "write the version")
        }
        // Whether the opening, the read or the write detects it first depends on SQLite.
        for number in 1...3 { do { try await bench.append(.remark(number)) } catch is StorageError {} }
        do { _ = try await bench.verify() } catch is StorageError {}
        try await bench.append(.remark(4))
        #expect(directory.names().contains { $0.contains("damaged") })
        #expect(try await all(bench, ids.hike) == Array(201...249) + Array(251...5_000))
        #expect(try await bench.start(hike).acknowledged == 200)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `an unreadable payload is removed and reported`() async throws {
        let ids = try await fill()
        #expect(
            try run([
                "sqlite3", "\(directory.path)/journal.db",
                "UPDATE positions SET payload = x'0102' || zeroblob(length(payload) - 2) WHERE seq IN (150, 151)",
            ]) == 0)
        let bench = try Bench(directory.path, options: options, clock: clock)
        #expect(try await bench.verify().findings.count == 4)
        #expect(try await bench.positions(of: ids.hike, limit: 100).output.count == 98)
        let page = try await bench.positions(of: ids.other, after: 149, limit: 2)
        #expect(page.count == 0 && page.reached == 151, "an empty page without progress would look like the end")
        #expect(try await bench.positions(of: ids.other, after: 100).output.count == 198)
        try await bench.append(.remark(1))
        #expect(try await bench.verify().findings == [])
        #expect(try await bench.start(hike).dropped == 2)
        #expect(try await bench.start(other).waiting == 298)
        try await bench.close()
    }

    @Test(arguments: [Migrations.newest, 7])
    func `the counts of uploads are restored, and an earlier schema had none`(version: Int32) async throws {
        _ = try await fill()
        if version < Migrations.newest {
            let sql = """
                ALTER TABLE recordings DROP COLUMN sent; ALTER TABLE recordings DROP COLUMN filtered;
                ALTER TABLE recordings DROP COLUMN unsealed; DROP TABLE segments;
                ALTER TABLE positions DROP COLUMN class; ALTER TABLE positions DROP COLUMN segment;
                ALTER TABLE deadLetters DROP COLUMN class; ALTER TABLE deadLetters DROP COLUMN segment;
                PRAGMA user_version = \(version); PRAGMA journal_mode = DELETE;
                """
            #expect(try run(["sqlite3", "\(directory.path)/journal.db", sql]) == 0)
        }
        try directory.overwrite(
            "journal.db", at: page(of: "meta") * 4_096, with: [UInt8](repeating: 0x5a, count: 4_096))
        let bench = try Bench(directory.path, options: options, clock: clock)
        let stored = try #require(await bench.loadedRecordings()?.recordings.first { $0.key == hike })
        #expect(directory.names().contains { $0.contains("damaged") })
        #expect((stored.acknowledged, stored.last) == (100, 5_000))
        let isCounted = version == Migrations.newest
        #expect((stored.sent, stored.filtered) == (isCounted ? 70 : 0, isCounted ? 30 : 0))
        try await bench.close()
    }

    @Test func `rows that a damaged table has twice are restored once, and that is reported`() async throws {
        let ids = try await fill()
        // The same rows, recordings with the same identifiers, and others with the same keys: no constraint prevents
        // that in a table whose pages were exchanged.
        let sql = """
            CREATE TABLE copy AS SELECT * FROM recordings;
            CREATE TEMP TABLE more AS SELECT * FROM recordings;
            INSERT INTO copy SELECT * FROM more;
            UPDATE more SET id = id + 100;
            INSERT INTO copy SELECT * FROM more;
            UPDATE more SET id = id + 100, uuid = 'abcdabcd' || substr(uuid, 9);
            INSERT INTO copy SELECT * FROM more;
            DROP TABLE recordings;
            ALTER TABLE copy RENAME TO recordings;
            CREATE TABLE copy AS SELECT * FROM segments;
            INSERT INTO copy SELECT * FROM segments;
            DROP TABLE segments;
            ALTER TABLE copy RENAME TO segments;
            """
        #expect(try run(["sqlite3", "\(directory.path)/journal.db", sql]) == 0)
        try directory.overwrite(
            "journal.db", at: page(of: "meta") * 4_096, with: [UInt8](repeating: 0x5a, count: 4_096))
        let bench = try Bench(directory.path, options: options, clock: clock)
        let loaded = try #require(await bench.loadedRecordings())
        #expect(loaded.recordings.map(\.id) == [ids.other, ids.hike])
        #expect(loaded.loss?.reason == .unreadable)
        #expect(loaded.loss?.message == "6 of them are invalid or occur twice")
        #expect(directory.names().contains { $0.contains("damaged") })
        #expect(try await all(bench, ids.hike) == Array(101...249) + Array(251...5_000))
        #expect(try await all(bench, ids.other) == Array(1...300))
        #expect(try await bench.deadLetters(of: ids.hike).output.map(\.position) == [.step(250)])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `a restoration interrupted by a crash continues`() async throws {
        let ids = try await fill()
        let page = try page(of: "meta")
        try directory.overwrite("journal.db", at: page * 4_096, with: [UInt8](repeating: 0x5a, count: 4_096))
        let first = try Bench(directory.path, options: options, clock: clock)
        _ = await first.state { $0 == .running }
        try await first.close()
        // As if only the first two thousand had been restored.
        let source = try #require(directory.names().first { $0.contains("damaged") })
        #expect(
            try run([
                "sqlite3", "\(directory.path)/journal.db",
                """
                DELETE FROM positions WHERE seq > 2000;
                UPDATE recordings SET kept = 1899, waiting = 1899, bytes =
                    (SELECT sum(length(payload)) FROM positions WHERE recording = id)
                    + (SELECT sum(length(payload)) FROM deadLetters WHERE recording = id) WHERE identifier = 'way';
                INSERT INTO salvage SELECT id, '\(source)', 2001, 5000 FROM recordings WHERE identifier = 'way';
                """,
            ]) == 0)
        let bench = try Bench(directory.path, options: options, clock: clock)
        #expect(try await all(bench, ids.hike) == Array(101...249) + Array(251...5_000))
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test func `the loss of a completely unreadable file is reported`() async throws {
        _ = try await fill()
        try directory.overwrite("journal.db", at: 0, with: [UInt8](repeating: 7, count: 4_096))
        let bench = try Bench(directory.path, options: options, clock: clock)
        let loaded = try #require(await bench.loadedRecordings())
        #expect(loaded.recordings.isEmpty)
        #expect(loaded.loss?.reason == .unreadable)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6])
    func `wherever the damage is, no unrecorded position is reported and recording continues`(seed: UInt64) async throws
    {
        var generator = SeededGenerator(seed: seed)
        let ids = try await fill()
        let pages = try directory.bytes("journal.db").count / 4_096
        for _ in 1...4 {
            let offset =
                Int.random(in: 0..<pages, using: &generator) * 4_096 + Int.random(in: 0..<4_000, using: &generator)
            let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try directory.overwrite("journal.db", at: offset, with: bytes)
        }
        let bench = try Bench(directory.path, options: options, clock: clock)
        do { _ = try await bench.verify() } catch is StorageError {}
        var sequence: Int64?
        for number in 1...3 where sequence == nil {
            do { sequence = try await bench.append(.remark(number)) } catch is StorageError {}
        }
        #expect(sequence != nil)
        for (key, id) in [(hike, ids.hike), (other, ids.other)] {
            var numbers: [Int64] = []
            do {
                for _ in 1...6 {
                    numbers += try await bench.positions(of: id, after: numbers.last ?? 0).output.map(\.sequence)
                }
            } catch is StorageError {}
            #expect(numbers == Array(Set(numbers)).sorted())
            #expect(numbers.allSatisfy { $0 <= 5_000 })
            _ = try await bench.start(key)
        }
        try await bench.close()
    }
}
