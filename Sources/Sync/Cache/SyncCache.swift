import Records
import Storage

/// The copy of an account's records on this machine, in one SQLite file, with what is to be sent and up to where everything
/// was fetched. Each change is one transaction and durable when the call returns, so that a crash at any time only causes
/// requests to be repeated. For one thread.
final class SyncCache {
    private static let schema = DatabaseSchema(
        fileName: "sync.sqlite", lockName: "sync.lock", noun: "a copy of Waymark's records",
        applicationID: SyncStatement.applicationID, steps: SyncStatement.steps)

    private let directory: StateDirectory
    /// Nil after an error that leaves a connection unusable, until the next transaction.
    private var statements: PreparedStatements<SyncStatement>?

    /// Opens the copy in a folder, which is made if it is missing.
    init(folder: String) throws(StorageError) {
        directory = try StateDirectory(path: folder, Self.schema)
        statements = try Self.open(directory)
    }

    private static func open(_ directory: StateDirectory) throws(StorageError) -> PreparedStatements<SyncStatement> {
        let statements = PreparedStatements<SyncStatement>(
            try Database.open(in: directory, cacheKibibytes: 1_024))
        try statements.database.execute("PRAGMA foreign_keys = ON", as: "enforce references")
        return statements
    }

    /// Performs a transaction that only reads.
    func read<Value>(_ body: (CacheTables) throws(StorageError) -> Value) throws(StorageError) -> Value {
        try perform { (statements) throws(StorageError) in
            try statements.database.reading(as: "read the copy") { () throws(StorageError) in
                try body(CacheTables(statements))
            }
        }
    }

    /// Performs a transaction, and commits it durably. After an error nothing of it is stored.
    func write<Value>(_ body: (CacheTables) throws(StorageError) -> Value) throws(StorageError) -> Value {
        try perform { (statements) throws(StorageError) in
            try statements.database.transaction(as: "change the copy") { () throws(StorageError) in
                try body(CacheTables(statements))
            }
        }
    }

    private func perform<Value>(
        _ body: (PreparedStatements<SyncStatement>) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let statements = if let statements { statements } else { try Self.open(directory) }
        self.statements = statements
        do throws(StorageError) { return try body(statements) } catch {
            if !error.leavesConnectionUsable { self.statements = nil }
            throw error
        }
    }

    /// What SQLite plans for a statement, for tests.
    func plan(of statement: SyncStatement) throws(StorageError) -> [String] {
        try perform { (statements) throws(StorageError) in
            let explained = try Statement(statements.database, "EXPLAIN QUERY PLAN " + statement.sql, as: "explain")
            var lines: [String] = []
            try explained.run { row in
                lines.append(row.text(3))
                return true
            }
            return lines
        }
    }
}
