import JSONText
import Location
import RecordScript
import Records
import Storage
import TestSupport
import TestTraits
import Testing

@testable import RecordTables
@testable import RecordsPostgreSQL
@testable import RecordsSQLite

/// What becomes of the rows of an earlier release, which knew no hierarchies and no values of subscriptions.
@Suite(.waits, .timeLimit(.minutes(15))) struct OldTablesTests {
    /// The version of its tables.
    private static let version = 4

    /// A zone that is shared with bob and has a child, its parent and a deleted record; and a subscription to notes.
    /// - Parameter bytes: Writes bytes in the language of a database.
    private static func rows(_ bytes: ([UInt8]) -> String) throws -> String {
        func content(_ record: String, _ fields: [FieldName: FieldValue]) -> String {
            let stamp = Record.Stamp(UTCTime(microseconds: 1), World.alice, name("phone"))
            return bytes(
                Record(
                    name(record), name("Note"), fields, changeTag: ChangeTag(incarnation: 1, counter: 1),
                    created: stamp,
                    modified: stamp
                ).json)
        }
        let query = try #require(Query(name("Note"), .compare(name("text"), .equal, .string("b"))))
        let subject = Subscription.Subject.query(QuerySubject(query, on: [.create]))
        return """
            INSERT INTO zones (container, owner, name, incarnation, counter, removedThrough)
                VALUES ('production/org.example.notes', 'alice', 'notes', 1, 3, 0);
            INSERT INTO participants (zone, account, permission, hasAccepted)
                VALUES ((SELECT number FROM zones), 'bob', 'read', 1);
            INSERT INTO records (zone, name, counter, type, deleted, content) VALUES
                ((SELECT number FROM zones), 'trip', 1, 'Note', NULL, \(content("trip", [:]))),
                ((SELECT number FROM zones), 'day', 2, 'Note', NULL,
                    \(content("day", [.parent: .reference(name("trip")), name("text"): .string("Grüße \\ \" '")]))),
                ((SELECT number FROM zones), 'old', 3, 'Note', 7, NULL);
            INSERT INTO publicSubscriptions (container, account, name, type, query)
                VALUES ('production/org.example.notes', 'bob', 's', 'Note', \(bytes(subject.json)));
            """
    }

    private static func check<Engine: RecordEngine>(_ engine: Engine, _ tables: MemoryEngine.Tables) throws {
        #expect(tables.zones[World.notes]?.hierarchy == 0)
        let participants = tables.participants[World.notes] ?? [:]
        #expect(Array(participants.values) == [Participant(World.bob, .read, hasAccepted: true)])
        let records = tables.records[World.notes] ?? [:]
        #expect(records.mapValues(\.parent) == [name("trip"): nil, name("day"): name("trip"), name("old"): nil])
        let store = RecordStore(engine, try TestSigner())
        #expect(try store.changes(of: World.notes, since: nil, by: World.bobs).get().changed.count == 2)
        let invitation = ModifySharing(World.notes, .invite(name("carol"), .read), of: name("trip"))
        let now = UTCTime(microseconds: 1_780_000_000_000_000)
        #expect(try store.modify(invitation, by: World.phone, key: name("i"), at: now).answer == .done)
        let carol = World.device("desk", name("carol"))
        let acceptance = ModifySharing(World.notes, .accept, of: name("trip"))
        #expect(try store.modify(acceptance, by: carol, key: name("a"), at: now).answer == .done)
        let page = try store.changes(of: World.notes, since: nil, by: carol).get()
        #expect(page.changed.map(\.name.text) == ["trip", "day"])
        // A subscription from before is evaluated, whatever it requires.
        try store.join(World.bobs)
        #expect(try store.register(in: World.container, by: World.bobs) == nil)
        let request = ModifyRecords(World.zone("", nil), saves: [.init(draft("p", "b")), .init(draft("q", "c"))])
        let reply = try store.modify(request, by: World.phone, key: name("k"), at: now)
        #expect(reply.pushes.map(\.subscription?.text) == ["s"])
    }

    @Test func `a file of an earlier release has its hierarchies and shares`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("records.sqlite", "")
        do {
            let database = try Database(path: directory.file("records.sqlite"))
            for step in RecordsSQLite.RecordStatement.steps.prefix(Self.version) {
                try database.execute(step, as: "make tables")
            }
            try database.execute("PRAGMA user_version = \(Self.version)", as: "make tables")
            try database.execute(try Self.rows { "X'\(HexText.text($0))'" }, as: "add rows")
        }
        let engine = try SQLiteEngine(folder: directory.path)
        try Self.check(engine, try engine.tables())
    }

    @Test(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
    func `a database of an earlier release has its hierarchies and shares`() throws {
        let database = try TestDatabase(isEmpty: true)
        let statement = RecordsPostgreSQL.RecordStatement.self
        try database.execute(statement.makeSchema)
        try database.execute(statement.makeVersion)
        let steps = statement.steps.prefix(Self.version).joined(separator: "\n")
        try database.execute("SET search_path = waymark; " + steps)
        try database.execute(statement.storeVersion(Self.version))
        try database.execute("SET search_path = waymark; " + (try Self.rows { "'\\x\(HexText.text($0))'" }))
        let engine = try PostgreSQLEngine(database.address)
        try Self.check(engine, try engine.tables())
    }
}
