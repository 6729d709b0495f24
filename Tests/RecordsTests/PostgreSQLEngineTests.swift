import Location
import Glibc
import RecordScript
import Records
import TestSupport
import TestTraits
import Testing

@testable import RecordTables
@testable import RecordsPostgreSQL

@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLEngineTests {
    private typealias Store = RecordStore<PostgreSQLEngine, TestSigner>

    /// The failure of opening a database.
    private static func refusal(_ address: String) -> EngineFailure? {
        do throws(EngineFailure) {
            _ = try PostgreSQLEngine(address)
            return nil
        } catch {
            return error
        }
    }

    @Test func `everything is there for the next engine`() throws {
        let database = try TestDatabase(isEmpty: true)
        let engine = try PostgreSQLEngine(database.address)
        try RecordScript.fill(engine)
        let before = try engine.tables()
        #expect(before.databases.count >= 2 && before.zones.count == 3 && before.feed.count >= 3)
        #expect(before.participants.count == 1 && before.answers.count >= 10 && before.devices.count == 1)
        let memory = MemoryEngine()
        try RecordScript.fill(memory)
        #expect(before == memory.tables)
        let again = try PostgreSQLEngine(database.address)
        #expect(try again.tables() == before)
        let store = Store(again, try TestSigner())
        #expect(try RecordScript.perform(4, store))
        #expect(try RecordScript.perform(5, store) == false)
        #expect(try again.tables() == engine.tables())
    }

    @Test(arguments: [
        ("CREATE SCHEMA waymark; CREATE TABLE waymark.records (x TEXT)", "another program", "Choose another database"),
        ("UPDATE waymark.waymarkSchema SET version = 99", "newer release", "Install that release again"),
    ])
    func `a foreign or newer database is refused with the next step, and not changed`(
        sql: String, fact: String, step: String
    ) throws {
        let database = try TestDatabase(isEmpty: sql.hasPrefix("CREATE"))
        try database.execute(sql)
        let count = "SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('waymark')"
        let before = try database.execute(count)
        let failure = try #require(Self.refusal(database.address))
        for part in [fact, step] { #expect(failure.description.contains(part), "\(failure)") }
        #expect(try database.execute(count) == before)
    }

    @Test func `an empty schema that an administrator has made is used`() throws {
        let database = try TestDatabase(isEmpty: true)
        try database.execute("CREATE SCHEMA waymark")
        let engine = try PostgreSQLEngine(database.address)
        try RecordScript.fill(engine)
    }

    @Test func `a server that does not run, and a database that does not exist, are named with the next step`() throws {
        let failure = try #require(Self.refusal("host=/nowhere dbname=records"))
        #expect(failure.description.contains("/nowhere") && failure.description.contains("Check the connection string"))
        let database = try TestDatabase()
        let other = try #require(Self.refusal("\(database.address) dbname=unknown"))
        #expect(other.description.contains("\"unknown\" does not exist"), "\(other)")
    }

    @Test func `many hubs that start at once make the tables once`() throws {
        let database = try TestDatabase(isEmpty: true)
        let address = database.address
        let engines = try (0..<8).map { _ in try InBackground { try RecordScript.fill(PostgreSQLEngine(address)) } }
        for engine in engines { try engine.result() }
    }

    @Test func `a connection that the server has closed between transactions is replaced without an error`() throws {
        let database = try TestDatabase()
        let engine = try PostgreSQLEngine(database.address)
        let store = Store(engine, try TestSigner())
        try RecordScript.prepare(store)
        try database.execute(Self.closeOthers)
        #expect(try RecordScript.perform(0, store) == false)
    }

    @Test func `a connection that is cut in a transaction undoes it, and the next one works`() throws {
        let database = try TestDatabase()
        let engine = try PostgreSQLEngine(database.address)
        let store = Store(engine, try TestSigner())
        try RecordScript.prepare(store)
        let before = try engine.tables()
        #expect(throws: EngineFailure.self) {
            try engine.write { (transaction) throws(EngineFailure) in
                try transaction.lock(.zone(RecordScript.zone))
                try transaction.removeZone(RecordScript.zone)
                _ = attempt { try database.execute(Self.closeOthers) }
            }
        }
        #expect(try engine.tables() == before)
        // The same within a group: what was in it before is lost with the connection, and each can be repeated.
        #expect(throws: EngineFailure.self) {
            try engine.gather {
                _ = attempt { try RecordScript.perform(0, store) }
                _ = attempt { try database.execute(Self.closeOthers) }
                _ = attempt { try RecordScript.perform(1, store) }
            }
        }
        #expect(try engine.tables() == before)
        for number in 0..<2 { #expect(try RecordScript.perform(number, store) == false) }
    }

    private static let closeOthers = """
        SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        """

    @Test func `a body that ignores an error commits nothing`() throws {
        let stored = try TestDatabase()
        let engine = try PostgreSQLEngine(stored.address)
        let database = RecordScript.zone.database
        #expect(throws: EngineFailure.self) {
            try engine.write { (transaction) throws(EngineFailure) in
                var row = DatabaseRow()
                row.zones = 1
                try transaction.put(row, of: database)
                // Greater than PostgreSQL can store.
                row.counter = .max
                do throws(EngineFailure) { try transaction.put(row, of: database) } catch {}
            }
        }
        #expect(try engine.tables() == MemoryEngine.Tables())
    }

    @Test func `transactions of a group see each other, and one that fails before it writes leaves nothing`() throws {
        let database = try TestDatabase()
        let engine = try PostgreSQLEngine(database.address)
        let store = Store(engine, try TestSigner())
        try RecordScript.prepare(store)
        var results: [Bool?] = []
        // One that only reads in between.
        try engine.gather {
            for number in [0, 1, 1] { results.append(attempt { try RecordScript.perform(number, store) }) }
            _ = attempt { () throws(EngineFailure) in
                try engine.write { (transaction) throws(EngineFailure) in
                    _ = try transaction.zone(RecordScript.zone)
                    throw EngineFailure("test", reason: "the test says so")
                }
            }
            let page = attempt { try store.changes(of: RecordScript.zone, since: nil, by: RecordScript.caller).get() }
            #expect(page?.changed.count == 5)
            for number in 2..<100 { results.append(attempt { try RecordScript.perform(number, store) }) }
        }
        #expect(results == [false, false, true] + [Bool](repeating: false, count: 98))
        #expect(try engine.tables() == Self.expected(0..<100))
    }

    /// The tables after requests of the script.
    private static func expected(_ numbers: Range<Int>) throws -> MemoryEngine.Tables {
        let memory = MemoryEngine()
        let store = RecordStore(memory, try TestSigner())
        try RecordScript.prepare(store)
        for number in numbers { _ = try RecordScript.perform(number, store) }
        return memory.tables
    }

    @Test func `a group with a transaction that fails after it has written stores nothing, and each can be repeated`()
        throws
    {
        let database = try TestDatabase()
        let engine = try PostgreSQLEngine(database.address)
        let store = Store(engine, try TestSigner())
        try RecordScript.prepare(store)
        for isError in [false, true] {
            #expect(throws: EngineFailure.self) {
                try engine.gather {
                    _ = attempt { try RecordScript.perform(0, store) }
                    _ = attempt { () throws(EngineFailure) in
                        try engine.write { (transaction) throws(EngineFailure) in
                            try transaction.put(ZoneRow(incarnation: 9), of: RecordScript.zone)
                            if isError { throw EngineFailure("test", reason: "the test says so") }
                            var row = DatabaseRow()
                            row.counter = .max
                            try transaction.put(row, of: RecordScript.zone.database)
                        }
                    }
                    _ = attempt { try RecordScript.perform(1, store) }
                }
            }
            #expect(try engine.tables() == Self.expected(0..<0))
        }
        for number in 0..<2 { #expect(try RecordScript.perform(number, store) == false) }
        #expect(try engine.tables() == Self.expected(0..<2))
    }

    @Test func `a group is not committed when a caller is looked up in it, and sees devices of its own`() throws {
        let database = try TestDatabase()
        let (engine, other) = (try PostgreSQLEngine(database.address), try PostgreSQLEngine(database.address))
        let store = Store(engine, try TestSigner())
        try RecordScript.prepare(store)
        let tablet = AccountDevice(try #require(RecordScript.zone.owner), name("tablet"))
        let now = UTCTime(microseconds: 0)
        _ = try store.invite(tablet, code: [1, 2], for: 900, at: now).get()
        func stored() throws -> Int { try other.tables().records.count }
        let before = try stored()
        try engine.gather {
            for number in 0..<3 {
                #expect(attempt { try RecordScript.perform(number, store) } == false)
                #expect(attempt { try store.caller(token: [1, 2, 3]) } == .some(nil))
                #expect(attempt { try stored() } == before, "nothing of the group is committed yet")
            }
            _ = attempt { try store.join(code: [1, 2], token: [7], at: now).get() }
            #expect(attempt { try store.caller(token: [7]) } == .device(tablet.device, of: tablet.account))
        }
        #expect(try stored() > before)
        #expect(try store.caller(token: [7]) == .device(tablet.device, of: tablet.account))
        // A connection that is cut between two requests is made anew.
        try database.execute(Self.closeOthers)
        #expect(try store.caller(token: [7]) == .device(tablet.device, of: tablet.account))
        // In a group after a change, everything of the group is lost with the connection.
        #expect(throws: EngineFailure.self) {
            try engine.gather {
                _ = attempt { try RecordScript.perform(3, store) }
                _ = attempt { try database.execute(Self.closeOthers) }
                #expect(attempt { try store.caller(token: [7]) } == nil)
                #expect(attempt { try RecordScript.perform(4, store) } == nil)
            }
        }
        for number in 3..<5 { #expect(try RecordScript.perform(number, store) == false) }
    }

    @Test func `a caller is looked up in a new connection if that of a group is cut before anything was changed`()
        throws
    {
        let database = try TestDatabase()
        let engine = try PostgreSQLEngine(database.address)
        let store = Store(engine, try TestSigner())
        try RecordScript.prepare(store)
        let tablet = AccountDevice(try #require(RecordScript.zone.owner), name("tablet"))
        let now = UTCTime(microseconds: 0)
        _ = try store.invite(tablet, code: [1, 2], for: 900, at: now).get()
        _ = try store.join(code: [1, 2], token: [7], at: now).get()
        let caller = Caller.device(tablet.device, of: tablet.account)
        try engine.gather {
            #expect(attempt { try store.caller(token: [7]) } == caller)
            _ = attempt { try database.execute(Self.closeOthers) }
            #expect(attempt { try store.caller(token: [7]) } == caller)
            #expect(attempt { try RecordScript.perform(0, store) } == false)
        }
        #expect(try RecordScript.perform(0, store) == true)
    }

    /// The statements whose plans matter, with their names.
    private static let planned: [(name: String, sql: String)] =
        TableStatement.allCases.map { ($0.rawValue, $0.ownSQL) }
        + [RecordStatement.readRecords, .readAllChildren, .readSomeChanges, .readSomeWrittenChanges].map {
            ($0.rawValue + " (own)", $0.sql)
        } + ReadAheadStatement.allCases.map { ($0.rawValue, $0.sql) }

    /// The lines of the plan for any values.
    private static func plan(_ name: String, _ sql: String, _ session: borrowing PostgreSQLSession) throws -> [String] {
        try session.prepare(sql, as: name)
        let count = (1...20).last { sql.contains("$\($0)") } ?? 0
        let values = count == 0 ? "" : "(" + [String](repeating: "NULL", count: count).joined(separator: ", ") + ")"
        try session.prepare("EXPLAIN EXECUTE \"\(name)\"\(values)", as: "")
        let result = try session.run("", Parameters([]))
        return try (0..<result.rows).map { try result.row($0).text(0) }
    }

    @Test func `a plan that was made while tables were empty reads no more when they are full`() throws {
        let database = try TestDatabase()
        let session = try PostgreSQLSession(database.address)
        try session.execute(RecordStatement.settings, as: "prepare")
        try session.execute("SET plan_cache_mode = force_generic_plan", as: "prepare")
        for (name, sql) in Self.planned {
            let plan = try Self.plan(name, sql, session)
            let text = "\(name):\n" + plan.joined(separator: "\n")
            #expect(
                !plan.contains { $0.contains("Seq Scan") || $0.contains("Hash") || $0.contains("Merge") }, "\(text)")
            #expect(!plan.contains { $0.contains("Filter:") && $0.contains("ANY") }, "\(text)")
        }
    }

    @Test func `no statement reads a whole table or sorts`() throws {
        let database = try TestDatabase()
        let session = try PostgreSQLSession(database.address)
        // None without an index if there is another one.
        try session.execute(RecordStatement.settings, as: "prepare")
        try session.execute(
            """
            SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_sort = off;
            SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_bitmapscan = off
            """, as: "prepare")
        for (name, sql) in Self.planned {
            let plan = try Self.plan(name, sql, session)
            let text = "\(name):\n" + plan.joined(separator: "\n")
            #expect(!plan.contains { $0.contains("Seq Scan") || $0.contains("Sort") }, "\(text)")
            for (line, next) in zip(plan, plan.dropFirst()) where line.contains("Index") && line.contains("Scan using")
            {
                #expect(next.contains("Index Cond"), "\(text)")
            }
        }
    }
}
