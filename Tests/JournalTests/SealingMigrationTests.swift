import Glibc
import JSONText
import Location
import Platform
import Protection
import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// A journal of schema 8, whose positions are plain, is sealed after it was opened.
@Suite(.timeLimit(.minutes(15))) struct SealingMigrationTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")

    init() throws { directory = try TemporaryDirectory() }

    /// A closed journal as schema 8 was, with plain positions of which some are acknowledged and one is a dead letter.
    private func fill(_ rows: Int, in folder: String = "") throws {
        let database = try makeDatabase(in: folder)
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

    private func makeDatabase(in folder: String) throws -> Database {
        #expect(try run(["mkdir", "-p", "-m", "700", "\(directory.path)/\(folder)"]) == 0)
        #expect(
            try run([
                "sqlite3", "\(directory.path)/\(folder)journal.db",
                "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; VACUUM",
            ]) == 0)
        return try Database(path: "\(directory.path)/\(folder)journal.db")
    }

    private func scan() throws -> Int {
        let scanner = CoordinateScanner([11, 20, 300, 1_111, 5_000].map { .step($0) })
        return try directory.contents().reduce(0) { $0 + scanner.count(in: $1.bytes) }
    }

    private func expectComplete(_ bench: Bench, _ rows: Int) async throws {
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

    @Test func `plain positions are sealed, and none is left in the file or the log`() async throws {
        try fill(5_000)
        #expect(try scan() > 0)
        let bench = try Bench(directory.path, clock: clock)
        try await expectComplete(bench, 5_000)
        #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
        try await expectComplete(bench, 5_000)
        #expect(try scan() == 0)
        try await bench.close()
        #expect(try scan() == 0)
    }

    @Test func `sealing that a crash interrupts after any transaction is completed`() async throws {
        for transactions in 0...4 {
            #expect(try run(["rm", "-f", "\(directory.path)/journal.db", "\(directory.path)/machine.secret"]) == 0)
            try fill(6_000)
            let machine = try MachineSecretPlace.stateDirectory("\(directory.path)/machine.secret").make()
            let keys = AvailableKeys(machine: try MachineKey.derived(from: machine))
            do {
                let state = try StateDirectory(path: directory.path, Migrations.schema)
                let store = try EventStore(in: state, bootID: "boot-2", keys)
                try store.commit { () throws(StorageError) in
                    try store.setMachineName(MachineIdentity.name(of: machine))
                }
                for _ in 0..<transactions {
                    try store.commit { () throws(StorageError) in
                        _ = try store.recordings.sealSome(atMicroseconds: 1)
                        try store.recordings.writeCounts()
                    }
                }
                // The process ends here, without a checkpoint that it has not made.
            }
            let bench = try Bench(directory.path, clock: clock)
            #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
            try await expectComplete(bench, 6_000)
            try await bench.close()
            #expect(try scan() == 0)
        }
    }

    /// The number of rows; a million is measured by hand.
    private static let upgraded = getenv("WAYMARK_UPGRADED_ROWS").flatMap { Int(String(cString: $0)) } ?? 40_000

    @Test func `a daemon that is killed while it seals what an earlier release has stored loses nothing`() async throws
    {
        let rows = Self.upgraded
        let machine = directory
        try fill(rows, in: "state/")
        var random = SeededGenerator(sample: 43)
        let began = SystemClock().monotonicNanoseconds
        var daemon = try DaemonProcess(in: machine, logLevel: "warning")
        let ready = SystemClock().monotonicNanoseconds
        var shown: [Int64] = []
        var kills = 0
        let patience = PollDeadline(seconds: 600)
        while true {
            try #require(!patience.hasPassed, "\(shown.suffix(9)) \(daemon.log)")
            let left = try rowsToSeal(daemon)
            // Until the journal has replied for the first time, none is shown.
            if left > 0 { shown.append(left) }
            if try isSealed() { break }
            guard kills < 6, Int.random(in: 0..<3, using: &random) == 0 else { continue }
            _ = poll(nil, 0, Int32.random(in: 0...300, using: &random))
            daemon.signal(SIGKILL)
            _ = try daemon.wait()
            kills += 1
            daemon = try DaemonProcess(in: machine, logLevel: "warning")
        }
        let seconds = Double(SystemClock().monotonicNanoseconds - began) / 1e9
        print(
            "\(rows) plain rows: ready after \(Double(ready - began) / 1e9) s, all sealed after \(seconds) s and \(kills)"
                + " kills; shown \(shown.count) times, first \(shown.prefix(3)), last \(shown.suffix(3))")
        // What a person sees does not grow.
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(try daemon.stop() == .exited(0))
        let bench = try Bench(directory.file("state"), clock: clock)
        try await expectComplete(bench, rows)
        try await bench.close()
    }

    /// Whether the file says that no plain row remains.
    private func isSealed() throws -> Bool {
        let database = try Database(path: directory.file("state/journal.db"), isReadOnly: true)
        return try database.integer("SELECT count(*) FROM meta WHERE name = 'unsealed'", as: "test") == 0
    }

    /// How many rows remain, as `waymark protection status` shows it.
    private func rowsToSeal(_ daemon: DaemonProcess) throws -> Int64 {
        let output = try daemon.waymark("protection", "status", "--json").output
        return try #require(
            try JSON.parse(Array(output.utf8), maximumDepth: 4)["rowsToSeal"]?.integerValue, "\(output)")
    }

    @Test func `plain rows are not accepted any more after all were sealed`() async throws {
        try fill(100)
        let bench = try Bench(directory.path, clock: clock)
        #expect(try await eventually { try await bench.statistics().rowsToSeal == 0 })
        try await bench.close()
        let plain = PositionPayloadTests.encoded(.step(99)).map { String($0, radix: 16) }
            .map { $0.count == 1 ? "0\($0)" : $0 }.joined()
        #expect(
            try run([
                "sqlite3", "\(directory.path)/journal.db",
                "UPDATE positions SET payload = x'\(plain)', segment = NULL WHERE seq = 50",
            ]) == 0)
        let again = try Bench(directory.path, clock: clock)
        #expect(try await again.verify().findings.contains("recording \(hike): position 50 cannot be read"))
        try await again.close()
    }
}
