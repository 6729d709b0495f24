import Authorization
import Glibc
import Location
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct RecordingMigrationTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey.named("way")

    init() throws { directory = try TemporaryDirectory() }

    func sql(_ statements: [String]) throws {
        #expect(
            try run(["sqlite3", "\(directory.path)/journal.db", statements.map { $0 + ";" }.joined(separator: "\n")])
                == 0)
    }

    @Test func `a journal of the second schema is migrated with all its decisions`() async throws {
        try sql([
            "PRAGMA auto_vacuum = INCREMENTAL", Migrations.steps[0], "INSERT INTO boots VALUES (1, 'boot-1')",
            "INSERT INTO events VALUES (1, 1799999999000000, 5, 1, 'note', NULL, NULL, '{}')", Migrations.steps[1],
            "INSERT INTO grants VALUES ('\(hike.app.name)', 1000, 'always', 'full', 0, NULL, NULL, NULL, NULL)",
            "PRAGMA journal_mode = WAL", "PRAGMA user_version = 2",
        ])
        let bench = try Bench(directory.path, clock: clock)
        #expect(await bench.loaded()?.state.grants == [hike.app: Grant(permission: .always)])
        #expect(await bench.loadedRecordings() == LoadedRecordings())
        let id = try await bench.start(hike).id
        bench.journal.record(.step(1), in: id)
        #expect(try await bench.positions(of: id).count == 1)
        #expect(try await bench.read().events.map(\.sequence) == [1])
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        #expect(DatabaseHeader(try directory.bytes("journal.db"))?.userVersion == Migrations.newest)
    }

    @Test func `a step interrupted by a full disk is applied completely later`() async throws {
        guard SmallDisk.isPossible else { return }
        let disk = try SmallDisk(kibibytes: 512)
        let statements = [
            Migrations.steps[0], "INSERT INTO boots VALUES (1, 'boot-1')", Migrations.steps[1],
            "PRAGMA user_version = 2",
        ]
        #expect(
            try run(["sqlite3", "\(disk.path)/journal.db", statements.map { $0 + ";" }.joined(separator: "\n")]) == 0)
        try disk.fill()
        var options = JournalOptions()
        options.firstPause = .milliseconds(5)
        options.longestPause = .milliseconds(20)
        let bench = try Bench(disk.path, options: options, clock: clock)
        #expect(await bench.state { if case .full = $0 { true } else { false } } != nil)
        disk.free()
        #expect(await bench.state { $0 == .running } == .running)
        _ = try await bench.start(hike)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
    }

    static let tamperings: [(sql: String, findings: [String])] = [
        (
            "DELETE FROM positions WHERE seq = 15",
            [
                "number 15 is missing", "it has 8 positions, not 9",
                "it has 8 pending positions, not 9", "it has 650 bytes, not 722",
            ]
        ),
        (
            "DELETE FROM deadLetters",
            [
                "number 14 is missing", "it has 0 dead letters, not 1", "it has 648 bytes, not 722",
            ]
        ),
        ("DELETE FROM gaps", ["number 16 is missing"]),
        (
            "INSERT INTO gaps SELECT recording, 17, 18 FROM gaps",
            [
                "number 17 exists twice, or was erased", "number 18 exists twice, or was erased",
            ]
        ),
        ("UPDATE recordings SET last = 30", ["numbers 21 to 30 are missing"]),
        ("UPDATE recordings SET waiting = 7", ["it has 9 pending positions, not 7"]),
        ("UPDATE positions SET payload = zeroblob(length(payload)) WHERE seq = 20", ["position 20 cannot be read"]),
        (
            "UPDATE deadLetters SET payload = substr(payload, 1, 20) || zeroblob(length(payload) - 20)",
            [
                "dead letter 14 cannot be read"
            ]
        ),
        (
            "INSERT INTO positions VALUES (77, 1, x'01', 0, NULL)",
            ["table positions has rows of recording 77, which does not exist"]
        ),
    ]

    @Test(arguments: tamperings)
    func `a change by another program is found`(sql tampering: String, findings: [String]) async throws {
        let bench = try Bench(directory.path, clock: clock)
        let id = try await bench.start(hike).id
        for number in 1...20 { bench.journal.record(.step(number), in: id) }
        _ = try await bench.positions(of: id)
        try await bench.acknowledge(id, upTo: 9)
        try await bench.reject(id, 14, message: "")
        try await bench.reject(id, 16)
        try await bench.revive(id, 16)
        #expect(try await bench.verify().findings == [])
        try await bench.close()

        try sql([tampering])
        let again = try Bench(directory.path, clock: clock)
        let verification = try await again.verify()
        let found = verification.findings.map { $0.replacing("recording \(hike): ", with: "") }
        #expect(found == findings)
        try await again.close()
    }

    @Test(arguments: ["cursor = 99", "onRevoke = 'maybe'", "uuid = 'x'", "waiting = -1", "kept = 0", "uid = -1"])
    func `an invalid recording is set aside with its file, and the others continue`(change: String)
        async throws
    {
        let other = RecordingKey.named("other")
        let bench = try Bench(directory.path, clock: clock)
        for key in [hike, other] {
            let id = try await bench.start(key).id
            for number in 1...20 { bench.journal.record(.step(number), in: id) }
            _ = try await bench.positions(of: id)
        }
        try await bench.close()
        try sql(["UPDATE recordings SET \(change) WHERE identifier = 'way'"])
        let again = try Bench(directory.path, clock: clock)
        let loaded = try #require(await again.loadedRecordings())
        #expect(loaded.recordings.map(\.key) == [other])
        #expect(loaded.loss?.reason == .unreadable)
        #expect(directory.names().contains { $0.contains("damaged") })
        #expect(try await again.start(hike).last == 0)
        #expect(try await again.start(other).waiting == 20)
        #expect(try await again.verify().findings == [])
        try await again.close()
    }
}
