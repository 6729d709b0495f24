import Location
import RecordScript
import Records
import TestSupport
import TestTraits
import Testing

@testable import RecordTables
@testable import RecordsPostgreSQL

/// Rows that are read before they are needed, and statements that are not waited for.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLReadAheadTests {
    private typealias Store = PostgreSQLScene.Store
    private let scene: PostgreSQLScene
    private var database: TestDatabase { scene.database }
    private var engine: PostgreSQLEngine { scene.engine }
    private var store: Store { scene.store }

    init() throws { scene = try PostgreSQLScene() }

    /// A save of a record, what it reads, and its key.
    private func save(_ record: String, _ text: String, key: String) -> (ModifyRecords, RequestKey, ReadAhead) {
        let request = ModifyRecords(RecordScript.zone, saves: [.init(draft(record, text), .allKeys)])
        let key: RequestKey = name(key)
        return (request, key, store.readAhead(for: request, by: RecordScript.caller, key: key))
    }

    private func perform(_ request: ModifyRecords, _ key: RequestKey) -> ModifyRecordsAnswer? {
        attempt { try store.modify(request, by: RecordScript.caller, key: key, at: RecordScript.time(1)).answer }
    }

    @Test func `a later request of a group sees what an earlier one has written, and it is stored once`() throws {
        let saves = (0..<3).map { save("same", "text \($0)", key: "key-\($0)") }
        var ahead = ReadAhead()
        for (request, key, _) in saves {
            store.readAhead(for: request, by: RecordScript.caller, key: key, into: &ahead)
        }
        let counter = try engine.tables().zones[RecordScript.zone]?.counter ?? 0
        try engine.gather(reading: ahead) {
            for (request, key, _) in saves { #expect(perform(request, key) != nil) }
            // Not in the read-ahead.
            let other = save("other", "x", key: "key-other")
            #expect(perform(other.0, other.1) != nil)
        }
        let tables = try engine.tables()
        #expect(tables.zones[RecordScript.zone]?.counter == counter + 4)
        let row = try #require(tables.records[RecordScript.zone]?[name("same")])
        guard case .record(let record, let previous) = row.content else { throw EngineFailure("test", reason: "none") }
        #expect(record.changeTag.counter == counter + 3 && previous?.changeTag.counter == counter + 2)
        #expect(tables.records[RecordScript.zone]?[name("other")] != nil)
    }

    @Test func `a read-ahead of rows that nobody needs changes nothing`() throws {
        var ahead = save("same", "x", key: "key").2
        store.readAhead(forToken: [1], into: &ahead)
        ahead.zones.insert(ZoneID(RecordScript.container, owner: RecordScript.account, name("unknown")))
        let before = try engine.tables()
        try engine.gather(reading: ahead) {}
        #expect(try engine.tables() == before)
    }

    @Test func `rows are read ahead after another transaction has released their locks`() throws {
        let address = database.address
        let (request, key, ahead) = save("same", "second", key: "second")
        let zone = RecordScript.zone
        let other = try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(zone))
            guard var row = try transaction.zone(zone) else { throw EngineFailure("test", reason: "no zone") }
            let other = attempt {
                try InBackground {
                    let engine = try PostgreSQLEngine(address)
                    let store = Store(engine, try TestSigner())
                    try engine.gather(reading: ahead) {
                        _ = attempt {
                            try store.modify(request, by: RecordScript.caller, key: key, at: RecordScript.time(2))
                        }
                    }
                }
            }
            let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
            let isWaiting = eventually { attempt { try database.execute(waiting) } == "1" }
            #expect(isWaiting)
            row.counter = 1_000
            try transaction.put(row, of: zone)
            return other
        }
        try other?.result()
        #expect(try engine.tables().zones[zone]?.counter == 1_001)
    }

    @Test func `an error of a statement that was not waited for is that of the commit`() throws {
        let before = try engine.tables()
        #expect(throws: EngineFailure.self) {
            try engine.write { (transaction) throws(EngineFailure) in
                try transaction.put(ZoneRow(incarnation: 9), of: RecordScript.zone)
                try transaction.connection.send("fail", "SELECT 1 / $1::bigint", Parameters(integer: 0))
            }
        }
        #expect(try engine.tables() == before)
    }
}
