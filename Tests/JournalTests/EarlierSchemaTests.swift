import Authorization
import Platform
import TestSupport
import Testing

@testable import Journal
@testable import Storage

/// Journals of every earlier schema, created by the SQL of that time: Tests/Fixtures/journal.
@Suite(.timeLimit(.minutes(15))) struct EarlierSchemaTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_800_000_000)
    let hike = RecordingKey(app: AppID(uid: 1_000, name: "way"), identifier: "way")

    private static let withoutRecordings = ["schema-1", "schema-2"]
    private static let withAccounts = ["schema-6", "schema-7", "schema-8"]
    private static let names =
        withoutRecordings + ["schema-3-early", "schema-3", "schema-4", "schema-5"] + withAccounts

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ name: String) throws {
        let path = try Products.fixture("journal/\(name).sql")
        #expect(try run(["sqlite3", "\(directory.path)/journal.db", ".read \(path)"]) == 0)
    }

    @Test(arguments: Self.names)
    func `an earlier journal is migrated with all its contents`(_ name: String) async throws {
        try make(name)
        let bench = try Bench(directory.path, clock: clock)
        let state = try #require(await bench.loaded()).state
        let grants = state.grants
        let recordings = try #require(await bench.loadedRecordings())
        #expect(try await bench.read().events.map(\.kind) == ["serviceStarted", "note", "serviceStopped"])
        if name != "schema-1" {
            #expect(grants[hike.app]?.permission == .always && grants.count == 2)
        } else {
            #expect(grants.isEmpty)
        }
        if Self.withAccounts.contains(name) { #expect(state.accounts[1000]?.name == "jane") }
        #expect(recordings.loss == nil)
        #expect(recordings.recordings.map(\.key) == (Self.withoutRecordings.contains(name) ? [] : [hike]))
        // It can be written like a journal of this release.
        let id = try await bench.start(hike).id
        bench.journal.record(.step(1), in: id)
        #expect(try await bench.positions(of: id).count == 1)
        #expect(try await bench.append(.remark(1)) == 4)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        #expect(DatabaseHeader(try directory.bytes("journal.db"))?.userVersion == Migrations.newest)
        #expect(directory.names() == ["journal.db", "journal.lock", "machine.secret"])
    }

    @Test(arguments: Self.names)
    func `a migration interrupted by a kill is completed by the next start`(_ name: String) async throws {
        // Each step is a transaction: after a kill a journal has some of them.
        for done in 1...Migrations.steps.count {
            let crashed = try TemporaryDirectory()
            let path = try Products.fixture("journal/\(name).sql")
            #expect(try run(["sqlite3", "\(crashed.path)/journal.db", ".read \(path)"]) == 0)
            do {
                let database = try Database(path: "\(crashed.path)/journal.db")
                let version = Int(try database.integer("PRAGMA user_version", as: "read") ?? 0)
                for step in Migrations.steps.indices where step >= version && step < done {
                    try database.execute("\(Migrations.steps[step]); PRAGMA user_version = \(step + 1)", as: "migrate")
                }
            }
            let bench = try Bench(crashed.path, clock: clock)
            #expect(try await bench.read().events.count == 3)
            #expect(try await bench.verify().findings == [])
            try await bench.close()
        }
    }

    @Test func `there is a fixture for every schema except the newest, which the other tests use`() throws {
        for version in 1..<Int(Migrations.newest) {
            #expect(
                try !BoundedFile.bytes(of: try Products.fixture("journal/schema-\(version).sql"), limit: 65_536).isEmpty
            )
        }
    }
}
