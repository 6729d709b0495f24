import Authorization
import Glibc
import Location
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct AuthorizationDamageTests {
    let directory: TemporaryDirectory
    let clock = ManualClock(utcSeconds: 1_799_999_940)
    let setAside = "journal.db.damaged-20270115T080000Z"
    let denied = AppID(uid: 1, name: "denied")
    let allowed = AppID(uid: 1, name: "allowed")
    var state = StoredAuthorization()

    init() throws {
        directory = try TemporaryDirectory()
        state.grants = [
            denied: AuthorizationStorageTests.grant(.denied), allowed: AuthorizationStorageTests.grant(.always),
        ]
        state.prompts = [AuthorizationStorageTests.prompt(4, .whenInUse)]
        state.raisedAt = [4: UTCTime(microseconds: clock.utcMicroseconds)]
        state.lastPrompt = 4
        state.areServicesOn = false
        state.values = ["cell": "5"]
        for (app, permission) in [(denied, TrackingGrant.Permission.denied), (allowed, .authorized)] {
            let grant = TrackingGrant(permission: permission, decidedAt: UTCTime(microseconds: 17), decidedBy: .rule)
            state.values[StoredTracking.name(of: app)] = StoredTracking.text(of: grant)
        }
    }

    /// A closed journal with the complete authorization and some events, a minute ago.
    func fill() async throws {
        let bench = try Bench(directory.path, clock: clock)
        for number in 1...200 { bench.journal.append(.remark(number)) }
        try await bench.append(
            changes: state.grants.map { .grant($0, $1) } + [
                .prompt(state.prompts[0]), .services(isOn: false),
            ] + state.values.map { .value($0, $1) })
        try await bench.close()
        clock.advance(seconds: 60)
    }

    /// Opens the journal, runs `body`, and returns the loaded authorization.
    func open(_ body: (Bench) async throws -> Void = { _ in }) async throws -> LoadedAuthorization {
        let bench = try Bench(directory.path, clock: clock)
        let loaded = try #require(await bench.loaded())
        try await body(bench)
        #expect(try await bench.verify().findings == [])
        try await bench.close()
        return loaded
    }

    /// The page, from 0, on which a table begins.
    func page(of table: String) throws -> Int {
        let database = try Database(path: "\(directory.path)/journal.db", isReadOnly: true)
        let root = try database.integer(
            "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", as: "find a table")
        return Int(try #require(root)) - 1
    }

    func damage(_ table: String, from offset: Int = 0) throws {
        let bytes = [UInt8](repeating: 0x5a, count: 4_096 - offset)
        try directory.overwrite("journal.db", at: page(of: table) * 4_096 + offset, with: bytes)
    }

    @Test func `decisions survive a journal whose events are damaged`() async throws {
        try await fill()
        try damage("meta")
        #expect(try await open() == LoadedAuthorization(state))
        #expect(directory.names().contains(setAside))
        #expect(!directory.names().contains { $0.hasSuffix("-shm") || $0.hasSuffix("-wal") })
        // The new file contains it now.
        #expect(try await open() == LoadedAuthorization(state))
    }

    @Test(arguments: ["grants", "state", "prompts", "sqlite_sequence"])
    func `a damaged table grants no app more than was stored, and a loss is reported`(table: String) async throws {
        try await fill()
        try damage(table)
        let loaded = try await open()
        for (app, grant) in loaded.state.grants { #expect(grant == state.grants[app]) }
        if table == "grants" || table == "state" { #expect(loaded.loss?.reason == .unreadable) }
        #expect(!loaded.state.areServicesOn)
        let again = try await open()
        #expect(again == LoadedAuthorization(loaded.state))
    }

    @Test func `only the denials of a damaged table of grants are preserved`() async throws {
        try await fill()
        // The free space within the page's cells is unchanged: both rows can be read, but cannot be trusted.
        let file = "\(directory.path)/journal.db"
        let database = try page(of: "grants") * 4_096
        let header = Array(try directory.bytes("journal.db")[database..<(database + 8)])
        // A count of fragmented bytes that do not exist, fileformat2.html section 1.6, offset 7.
        try directory.overwrite("journal.db", at: database + 7, with: [header[7] &+ 3])
        try damage("meta")
        #expect(access(file, F_OK) == 0)
        let loaded = try await open()
        #expect(loaded.state.grants == [denied: AuthorizationStorageTests.grant(.denied)])
        #expect(loaded.loss?.reason == .unreadable)
        #expect(!loaded.state.areServicesOn)
    }

    @Test func `an unreadable file yields no authorization, and the loss is reported`() async throws {
        try await fill()
        try directory.overwrite("journal.db", at: 0, with: [UInt8](repeating: 7, count: 4_096))
        let loaded = try await open()
        #expect(loaded.state == StoredAuthorization())
        #expect(loaded.loss?.reason == .unreadable)
        #expect(try await open() == LoadedAuthorization())
    }

    @Test func `damage that is detected later costs no decision`() async throws {
        try await fill()
        let bench = try Bench(directory.path, clock: clock)
        #expect(await bench.loaded() == LoadedAuthorization(state))
        let file = "\(directory.path)/journal.db"
        // In another process: closing the file in this one would drop SQLite's locks.
        #expect(
            try run([
                "dd", "if=/dev/urandom", "of=\(file)", "bs=4096", "seek=1", "count=60", "conv=notrunc", "status=none",
            ]) == 0)
        let change = StoredChange.grant(allowed, AuthorizationStorageTests.grant(.whenInUse))
        // SQLite may still have cached the pages that it needs for the first ones.
        for _ in 1...3 {
            try await bench.append(changes: [change])
            do { _ = try await bench.verify() } catch is StorageError {}
        }
        try await bench.close()
        var expected = state
        expected.grants[allowed] = AuthorizationStorageTests.grant(.whenInUse)
        #expect(try await open() == LoadedAuthorization(expected))
        #expect(directory.names().contains(setAside))
    }

    @Test func `a restoration interrupted by a crash is completed at the next start, without permissions`()
        async throws
    {
        try await fill()
        #expect(rename("\(directory.path)/journal.db", "\(directory.path)/\(setAside)") == 0)
        let before = try directory.bytes(setAside)
        let loaded = try await open()
        #expect(loaded.state.grants == [denied: AuthorizationStorageTests.grant(.denied)])
        #expect(StoredTracking.read(loaded.state.values).grants.mapValues(\.permission) == [denied: .denied])
        #expect(!loaded.state.areServicesOn)
        #expect(loaded.loss?.reason == .unreadable)
        #expect(try directory.bytes(setAside) == before)
        // Only once.
        #expect(try await open() == LoadedAuthorization(loaded.state))
    }

    @Test func `a database of a newer release yields nothing`() async throws {
        try await fill()
        #expect(
            try run(["sqlite3", "\(directory.path)/journal.db", "PRAGMA user_version = \(Migrations.newest + 1)"]) == 0)
        let bench = try Bench(directory.path, clock: clock)
        let loaded = try #require(await bench.loaded())
        #expect(loaded.state == StoredAuthorization())
        #expect(loaded.loss?.reason == .fromTheFuture(version: Migrations.newest + 1))
        await #expect(throws: StorageError.self) { try await bench.append(changes: [.services(isOn: true)]) }
        await #expect(throws: StorageError.self) { try await bench.close() }
    }
}
