import Glibc
import Records
import RecordsPostgreSQL
import RecordsSQLite
import TestSupport

/// An engine whose calls can fail, and which checks that whatever is written was locked, in the right order.
final class TestEngine: RecordEngine {
    /// The engine that stores the rows.
    enum Storage {
        case memory(MemoryEngine)
        case sqlite(SQLiteEngine, TemporaryDirectory)
        case postgresql(PostgreSQLEngine, TestDatabase)
    }

    private(set) var storage: Storage
    /// The number of calls of transactions so far, commits included.
    private(set) var calls = 0
    /// How many records indexes have found so far.
    var foundByIndex = 0
    /// The call that fails; nil for none.
    var failingCall: Int?
    /// Whether the next commit happens and fails all the same.
    var failsAfterCommit = false
    /// What happens after the next transaction that reads, before the one that its reader performs then.
    var afterRead: (() -> Void)?
    /// What an engine with several connections would not have permitted.
    private(set) var violations: [String] = []

    init(_ kind: EngineKind) throws {
        switch kind {
        case .memory: storage = .memory(MemoryEngine())
        case .sqlite:
            // In memory, because these tests are about the rules and commit often. The other tests of SQLite use a disk.
            let folder = try TemporaryDirectory(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
            storage = .sqlite(try SQLiteEngine(folder: folder.path), folder)
        case .postgresql:
            let database = try TestDatabase()
            storage = .postgresql(try PostgreSQLEngine(database.address), database)
        }
    }

    /// Closes the tables and opens them again, as a hub does that is ended and started.
    func restart() throws {
        switch storage {
        case .memory: break
        case .sqlite(_, let folder):
            // A file is for one engine, so that the open one has to be released before.
            storage = .memory(MemoryEngine())
            storage = .sqlite(try SQLiteEngine(folder: folder.path), folder)
        case .postgresql(_, let database): storage = .postgresql(try PostgreSQLEngine(database.address), database)
        }
    }

    /// The number of the next call.
    var nextCall: Int { calls + 1 }

    /// Everything that is stored.
    func tables() throws -> MemoryEngine.Tables {
        switch storage {
        case .memory(let engine): engine.tables
        case .sqlite(let engine, _): try engine.tables()
        case .postgresql(let engine, _): try engine.tables()
        }
    }

    func read<Value>(
        _ body: (inout TestTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        let value =
            switch storage {
            case .memory(let engine):
                try engine.read { (inner) throws(EngineFailure) in try perform(body, in: inner, mayWrite: false) }
            case .sqlite(let engine, _):
                try engine.read { (inner) throws(EngineFailure) in try perform(body, in: inner, mayWrite: false) }
            case .postgresql(let engine, _):
                try engine.read { (inner) throws(EngineFailure) in try perform(body, in: inner, mayWrite: false) }
            }
        let event = afterRead
        afterRead = nil
        event?()
        return value
    }

    func write<Value>(
        _ body: (inout TestTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value { try write(reading: ReadAhead(), body) }

    func write<Value>(
        reading ahead: @autoclosure () -> ReadAhead, _ body: (inout TestTransaction) throws(EngineFailure) -> Value
    ) throws(EngineFailure) -> Value {
        let value =
            switch storage {
            case .memory(let engine):
                try engine.write { (inner) throws(EngineFailure) in try perform(body, in: inner, mayWrite: true) }
            case .sqlite(let engine, _):
                try engine.write { (inner) throws(EngineFailure) in try perform(body, in: inner, mayWrite: true) }
            case .postgresql(let engine, _):
                try engine.write(reading: ahead()) { (inner) throws(EngineFailure) in
                    try perform(body, in: inner, mayWrite: true)
                }
            }
        guard !failsAfterCommit else {
            failsAfterCommit = false
            throw EngineFailure("commit", reason: "the test says so, afterwards")
        }
        return value
    }

    private func perform<Value>(
        _ body: (inout TestTransaction) throws(EngineFailure) -> Value, in inner: any RecordTransaction, mayWrite: Bool
    ) throws(EngineFailure) -> Value {
        var transaction = TestTransaction(self, inner, mayWrite: mayWrite)
        let value = try body(&transaction)
        if mayWrite { try call("commit") }
        return value
    }

    func call(_ operation: String) throws(EngineFailure) {
        calls += 1
        guard calls != failingCall else { throw EngineFailure(operation, reason: "the test says so") }
    }

    func complain(_ text: String) { violations.append(text) }
}
