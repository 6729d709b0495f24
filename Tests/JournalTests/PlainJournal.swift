import JSONText
import Location
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// A journal of schema 8 in a folder, whose positions are plain, and what of it has to be there whatever it was sealed with since.
struct PlainJournal {
    /// The state directory.
    let folder: String
    private let hike = RecordingKey.named("way")

    init(_ folder: String) { self.folder = folder }

    /// A closed journal as schema 8 was, with plain positions of which some are acknowledged and one is a dead letter.
    func fill(_ rows: Int) throws {
        let database = try makeDatabase()
        for step in Migrations.steps.prefix(8) { try database.execute(step, as: "fill") }
        try database.execute(
            """
            PRAGMA user_version = 8;
            INSERT INTO boots VALUES (1, 'boot-1');
            INSERT INTO state VALUES ('authorizationRestored', 1);
            INSERT INTO recordings (uuid, app, uid, identifier, onRevoke, isStarted, startedAt)
                VALUES ('6f9619ff-8b86-4d01-b42d-00c04fc964ff', '\(hike.app.name)', \(hike.app.uid), 'way', 'keep', 1, 0);
            """, as: "fill")
        let insert = try Statement(database, "INSERT INTO positions VALUES (1, ?, ?)", as: "fill")
        try database.transaction(as: "fill") { () throws(StorageError) in
            for number in 11...rows where number != 20 {
                try insert.run([.integer(Int64(number)), .blob(PositionPayloadTests.encoded(.step(number)))])
            }
            let letter = DeadLetterPayload.bytes(
                PositionPayloadTests.encoded(.step(20)), message: "47.00002 is refused")
            try Statement(database, "INSERT INTO deadLetters VALUES (1, 20, 422, 1800000000000000, ?)", as: "fill")
                .run([.blob(letter)])
            try database.execute(
                """
                UPDATE recordings SET last = \(rows), cursor = 10, floor = 10, kept = \(rows) - 11, waiting = \(rows) - 11,
                    deadLetters = 1, bytes = (SELECT sum(length(payload)) FROM positions)
                        + (SELECT sum(length(payload)) FROM deadLetters);
                """, as: "fill")
        }
    }

    private func makeDatabase() throws -> Database {
        #expect(try run(["mkdir", "-p", "-m", "700", folder]) == 0)
        #expect(
            try run([
                "sqlite3", "\(folder)/journal.db",
                "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; VACUUM",
            ]) == 0)
        return try Database(path: "\(folder)/journal.db")
    }

    /// Every position and dead letter can be read, and nothing else is there.
    func expectComplete(_ bench: Bench, _ rows: Int) async throws {
        let id = try #require(RecordingID("6f9619ff-8b86-4d01-b42d-00c04fc964ff"))
        var expected = 11
        while expected <= rows {
            let page = try await bench.positions(of: id, after: Int64(expected - 1)).output
            try #require(!page.isEmpty)
            for one in page {
                if expected == 20 { expected += 1 }
                #expect(one.sequence == Int64(expected) && one.position == .step(expected))
                expected += 1
            }
        }
        let letters = try await bench.deadLetters(of: id).output
        #expect(letters.map(\.position) == [.step(20)] && letters.map(\.message) == ["47.00002 is refused"])
        #expect(try await bench.verify().findings == [])
    }

    /// Whether the file says that no plain row remains.
    func isSealed() throws -> Bool {
        let database = try Database(path: "\(folder)/journal.db", isReadOnly: true)
        return try database.integer("SELECT count(*) FROM meta WHERE name = 'unsealed'", as: "test") == 0
    }
}

extension DaemonProcess {
    /// How many rows remain, as `waymark protection status` shows it.
    func rowsToSeal() throws -> Int64 {
        let output = try waymark("protection", "status", "--json").output
        return try #require(
            try JSON.parse(Array(output.utf8), maximumDepth: 4)["rowsToSeal"]?.integerValue, "\(output)")
    }
}
