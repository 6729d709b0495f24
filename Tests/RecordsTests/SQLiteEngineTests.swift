import Glibc
import Location
import Platform
import RecordScript
import Records
import Storage
import TestSupport
import Testing

@testable import RecordTables
@testable import RecordsSQLite

@Suite(.timeLimit(.minutes(5))) struct SQLiteEngineTests {
    private typealias Store = RecordStore<SQLiteEngine, TestSigner>

    private let directory: TemporaryDirectory
    private var file: String { directory.file("records.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws(EngineFailure) -> SQLiteEngine { try SQLiteEngine(folder: directory.path) }

    /// The failure of opening the file.
    private func refusal() -> EngineFailure? {
        do throws(EngineFailure) {
            _ = try open()
            return nil
        } catch {
            return error
        }
    }

    @Test func `everything is there when the file is opened again`() throws {
        var engine: SQLiteEngine? = try open()
        let before: MemoryEngine.Tables
        let token: [UInt8]
        do {
            let first = try #require(engine)
            try RecordScript.fill(first)
            before = try first.tables()
            let store = Store(first, try TestSigner())
            token = try store.changes(of: RecordScript.zone, since: nil, by: RecordScript.caller).get().token
        }
        // Each table has rows, so that none is compared in vain.
        #expect(before.databases.count >= 2 && before.zones.count == 3 && before.feed.count >= 3)
        #expect(before.records[RecordScript.zone]?.values.contains { $0.record == nil } == true)
        #expect(before.participants.count == 1 && before.answers.count >= 10 && before.devices.count == 1)
        #expect(before.subscriptions[RecordScript.zone.database]?.count == 2 && before.pushes.count >= 2)
        engine = nil
        let again = try open()
        #expect(try again.tables() == before)
        let store = Store(again, try TestSigner())
        // Tokens, idempotent answers and counters go on.
        let page = try store.changes(of: RecordScript.zone, since: token, by: RecordScript.caller).get()
        #expect(page.changed.isEmpty && page.deleted.isEmpty)
        #expect(try RecordScript.perform(4, store))
        #expect(try again.tables() == before)
        #expect(try RecordScript.perform(5, store) == false)
        let next = try store.changes(of: RecordScript.zone, since: token, by: RecordScript.caller).get()
        #expect(next.changed.count == RecordScript.recordsOfRequest)
    }

    @Test func `a second engine in the same folder is refused`() throws {
        let engine = try open()
        let failure = try #require(refusal())
        #expect(failure.description.contains(directory.path) && failure.description.contains("uses it"))
        withExtendedLifetime(engine) {}
    }

    @Test(arguments: [
        ("PRAGMA application_id = 7; CREATE TABLE t (x)", "it is a database, but not Waymark's records", "Choose"),
        (
            "PRAGMA application_id = 0x57617973; PRAGMA user_version = 99; CREATE TABLE t (x)", "newer release",
            "Install"
        ),
    ])
    func `a foreign or newer file is refused with the next step, and not changed`(
        sql: String, fact: String, step: String
    ) throws {
        try directory.write("records.sqlite", "")
        do {
            let database = try Database(path: file)
            try database.execute(sql, as: "prepare")
        }
        let before = try bytes()
        let failure = try #require(refusal())
        for part in [file, fact, step] { #expect(failure.description.contains(part), "\(failure)") }
        #expect(try bytes() == before)
    }

    private func bytes() throws -> [UInt8] { try BoundedFile.bytes(of: file, limit: 1 << 24) }

    @Test(arguments: [0, 18, 100, 110])
    func `a file whose first page is damaged is refused with the next step, and not changed`(offset: Int) throws {
        try RecordScript.fill(try open())
        try overwrite(offset, count: offset == 18 ? 2 : 16)
        let before = try bytes()
        let failure = try #require(refusal())
        #expect(failure.description.contains(file) && failure.description.contains("backup"), "\(failure)")
        #expect(try bytes() == before)
    }

    private func overwrite(_ offset: Int, count: Int) throws {
        let descriptor = Glibc.open(file, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let garbage = [UInt8](repeating: 0xEE, count: count)
        #expect(pwrite(descriptor, garbage, count, off_t(offset)) == count)
    }

    @Test func `a damaged page is an error of the requests that read it, and no request is answered wrongly`() throws {
        let zone = RecordScript.zone
        let expected: ZoneChanges
        do {
            let engine = try open()
            try RecordScript.fill(engine)
            let store = Store(engine, try TestSigner())
            expected = try store.changes(of: zone, since: nil, by: RecordScript.caller).get()
        }
        let sound = try bytes()
        let signer = try TestSigner()
        var refused = 0
        for page in 1..<(sound.count / 4_096) {
            try directory.write("records.sqlite", bytes: sound)
            try overwrite(page * 4_096, count: 4_096)
            do throws(EngineFailure) {
                let store = Store(try open(), signer)
                let answer = try store.changes(of: zone, since: nil, by: RecordScript.caller)
                #expect(answer == .success(expected), "page \(page)")
            } catch {
                refused += 1
                #expect(error.description.contains("backup"), "page \(page): \(error)")
            }
        }
        #expect(refused >= 4)
    }

    @Test func `a file that may not grow keeps its state, and goes on when it may`() throws {
        let engine = try open()
        try RecordScript.fill(engine)
        let store = Store(engine, try TestSigner())
        let pages = try #require(try engine.connection?.statements.database.integer("PRAGMA page_count", as: "count"))
        try engine.connection?.statements.database.execute("PRAGMA max_page_count = \(pages + 2)", as: "limit")
        var number = 5
        var failure: EngineFailure?
        var before = try engine.tables()
        while failure == nil, number < 500 {
            before = try engine.tables()
            do { _ = try RecordScript.perform(number, store) } catch let error as EngineFailure { failure = error }
            number += 1
        }
        let reason = try #require(failure).description
        #expect(reason.contains("full") && reason.contains("Free some space"), "\(reason)")
        #expect(try engine.tables() == before)
        try engine.connection?.statements.database.execute("PRAGMA max_page_count = 1000000", as: "limit")
        #expect(try RecordScript.perform(number - 1, store) == false)
    }

    @Test func `a body that ignores an error of the file commits nothing`() throws {
        let engine = try open()
        let database = RecordScript.zone.database
        #expect(throws: EngineFailure.self) {
            try engine.write { (transaction) throws(EngineFailure) in
                var row = DatabaseRow()
                row.zones = 1
                try transaction.put(row, of: database)
                // Greater than SQLite can store.
                row.counter = .max
                do throws(EngineFailure) { try transaction.put(row, of: database) } catch {}
            }
        }
        #expect(try engine.tables() == MemoryEngine.Tables())
    }

    @Test(arguments: TableStatement.allCases)
    func `no statement reads a whole table or sorts`(statement: TableStatement) throws {
        let engine = try open()
        let connection = try #require(engine.connection)
        var plan: [String] = []
        try connection.each("EXPLAIN QUERY PLAN \(statement.ownSQL)") { (row) throws(TableError) in
            plan.append(try row.text(3))
        }
        for step in plan {
            #expect(!step.contains("SCAN") && !step.contains("TEMP B-TREE"), "\(statement.rawValue): \(step)")
        }
    }
}
