import Glibc
import TestSupport
import Testing

@testable import Journal
@testable import Storage

@Suite(.timeLimit(.minutes(15))) struct RefusalTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func makeJournal() async throws {
        let bench = try Bench(directory.path)
        try await bench.append(.remark(1))
        try await bench.close()
    }

    /// Opens the journal and returns the reason of the failure; every append fails with the same error.
    func refusal(_ path: String? = nil) async throws -> StorageError? {
        let bench = try Bench(path ?? directory.path)
        guard case .failed(let error) = await bench.state({ $0 != .opening }) else { return nil }
        await #expect(throws: error) { try await bench.append(.remark(2)) }
        await #expect(throws: error) { try await bench.close() }
        return error
    }

    @Test func `a database from a newer release is refused and not modified`() async throws {
        try await makeJournal()
        #expect(
            try run(["sqlite3", "\(directory.path)/journal.db", "PRAGMA user_version = \(Migrations.newest + 1)"]) == 0)
        let before = try directory.bytes("journal.db")
        let error = try await refusal()
        #expect(error?.reason == .fromTheFuture(version: Migrations.newest + 1))
        #expect(error?.description.contains("\(directory.path)/journal.db") == true)
        #expect(try directory.bytes("journal.db") == before)
        #expect(directory.names() == ["journal.db", "journal.lock"])
    }

    @Test func `a newer release's schema that is only in the log is refused too`() async throws {
        let crashed = try TemporaryDirectory()
        try await makeJournal()
        do {
            let database = try Database(path: "\(directory.path)/journal.db")
            try database.execute("PRAGMA user_version = \(Migrations.newest + 1)", as: "migrate")
            let files = ["journal.db", "journal.db-wal"].map { "\(directory.path)/\($0)" }
            #expect(try run(["cp"] + files + [crashed.path]) == 0)
        }
        let before = (try crashed.bytes("journal.db"), try crashed.bytes("journal.db-wal"))
        #expect(DatabaseHeader(before.0)?.userVersion == Migrations.newest)
        #expect(try await refusal(crashed.path)?.reason == .fromTheFuture(version: Migrations.newest + 1))
        #expect(try crashed.bytes("journal.db") == before.0)
        #expect(try crashed.bytes("journal.db-wal") == before.1)
        #expect(crashed.names() == ["journal.db", "journal.db-wal", "journal.lock"])
    }

    @Test(arguments: ["PRAGMA application_id = 5", "PRAGMA user_version = 1", "CREATE TABLE t (x)"])
    func `another program's database is refused and not set aside`(sql: String) async throws {
        #expect(try run(["sqlite3", "\(directory.path)/journal.db", "\(sql); VACUUM"]) == 0)
        let before = try directory.bytes("journal.db")
        #expect(try await refusal()?.reason == .foreign)
        #expect(try directory.bytes("journal.db") == before)
        #expect(directory.names() == ["journal.db", "journal.lock"])
    }

    @Test func `an empty file becomes a journal`() async throws {
        try directory.overwrite("journal.db", at: 0, with: [])
        try await makeJournal()
        #expect(DatabaseHeader(try directory.bytes("journal.db"))?.applicationID == Migrations.applicationID)
    }

    @Test func `a database that others could read is made private`() async throws {
        try await makeJournal()
        chmod("\(directory.path)/journal.db", 0o644)
        try await makeJournal()
        var status = stat()
        #expect(stat("\(directory.path)/journal.db", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a path that cannot be a directory is named in the error`() async throws {
        try directory.overwrite("file", at: 0, with: [1])
        let under = try await refusal("\(directory.path)/file/state")
        #expect(under?.reason == .system(ENOTDIR))
        #expect(under?.description.contains("\(directory.path)/file/state") == true)
        let missing = try await refusal("\(directory.path)/no/such/state")
        #expect(missing?.reason == .system(ENOENT))
        let isFile = try await refusal("\(directory.path)/file")
        #expect(isFile?.reason == .system(ENOTDIR))
    }

    @Test func `an error names the operation and the file but no value`() async throws {
        try await makeJournal()
        let database = try Database(path: "\(directory.path)/journal.db")
        let secret = "secret value"
        #expect {
            try Statement(database, "INSERT INTO boots (id, boot) VALUES (1, ?)", as: "write the boot")
                .run([.text(secret)])
        } throws: { error in
            guard let error = error as? StorageError else { return false }
            let primaryKeyTaken: Int32 = 1_555  // SQLITE_CONSTRAINT_PRIMARYKEY, which Swift does not import
            return error.extendedCode == primaryKeyTaken && error.description.contains("write the boot")
                && error.description.contains("journal.db") && !error.description.contains(secret)
        }
    }
}
