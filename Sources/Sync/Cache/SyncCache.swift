import Records
import Storage

/// The copy of an account's records on this machine, in one SQLite file, with what is to be sent and up to where everything
/// was fetched. Each change is one transaction and durable when the call returns, so that a crash at any time only causes
/// requests to be repeated. For one thread.
///
/// The file is plain, or sealed with a key of the daemon. A sealed one is closed until `open` gets what seals it.
final class SyncCache {
    /// The file in its two forms.
    static let database = SealableDatabase(
        plain: DatabaseSchema(
            fileName: "sync.sqlite", lockName: "sync.lock", noun: "a copy of Waymark's records",
            applicationID: SyncStatement.applicationID, steps: SyncStatement.steps),
        sealedName: "sync.sealed", noun: "the copy of the records", lost: "waymarkd has not passed its key")

    private let folder: String
    /// Holds the lock of the folder, also while the file is closed.
    private var directory: StateDirectory?
    /// What seals the open file; nil for a plain one.
    private var files: SealedFileSystem?
    /// Nil after an error that leaves a connection unusable, until the next transaction.
    private var statements: PreparedStatements<SyncStatement>?
    /// Why the copy is closed; nil while it is open.
    private(set) var obstacle: StorageError?

    /// Opens the copy in a folder, which is made if it is missing, unless the copy is sealed.
    init(folder: String) throws(StorageError) {
        self.folder = folder
        directory = try StateDirectory(path: folder, Self.database.plain)
        guard !isSealed else {
            obstacle = StorageError(
                "open the copy of the records", .protectedDataUnavailable, "its key is expected from waymarkd")
            return
        }
        try open(sealedBy: try Self.database.prepare(.plain, in: folder))
    }

    /// Whether the file is sealed.
    var isSealed: Bool { Self.database.isSealed(in: folder) }

    /// Closes the copy, or gives another reason why it is closed.
    func close(because error: StorageError) {
        (statements, files) = (nil, nil)
        obstacle = error
    }

    /// What brings the closed copy into a form, on any thread: the lock of the folder remains with this object.
    func preparation(
        of sealing: DatabaseSealing
    ) -> @Sendable () -> Result<SealedFileSystem?, StorageError> {
        { [folder] in
            Result { () throws(StorageError) in try Self.database.prepare(sealing, in: folder) }
        }
    }

    /// Opens the copy, which was prepared: with what seals it, or plain.
    func open(sealedBy files: SealedFileSystem?) throws(StorageError) {
        // One lock after the other: each belongs to an object.
        directory = nil
        let schema = files == nil ? Self.database.plain : Self.database.sealed
        let directory = try StateDirectory(path: folder, schema)
        self.directory = directory
        statements = try Self.open(directory, files)
        self.files = files
        obstacle = nil
    }

    private static func open(
        _ directory: StateDirectory, _ files: SealedFileSystem?
    ) throws(StorageError) -> PreparedStatements<SyncStatement> {
        let statements = PreparedStatements<SyncStatement>(
            try Database.open(in: directory, sealedBy: files, cacheKibibytes: 1_024))
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

    /// Returns pages to the file system that large assets have left, so many at once that nobody waits for long.
    func shrink() throws(StorageError) {
        try perform { (statements) throws(StorageError) in
            let free = try statements.database.integer("PRAGMA freelist_count", as: "measure the copy") ?? 0
            guard free > Self.fewPages else { return }
            try statements.database.execute("PRAGMA incremental_vacuum(\(Self.pagesOfPass))", as: "shrink the copy")
        }
    }

    /// Free pages that are reused soon.
    private static let fewPages: Int64 = 1_024
    private static let pagesOfPass = 4_096

    private func perform<Value>(
        _ body: (PreparedStatements<SyncStatement>) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        if let obstacle { throw obstacle }
        guard let directory else { throw StorageError("open the copy of the records", .closed, "it was closed") }
        let statements = if let statements { statements } else { try Self.open(directory, files) }
        self.statements = statements
        do throws(StorageError) { return try body(statements) } catch {
            if !error.leavesConnectionUsable { self.statements = nil }
            throw error
        }
    }

    /// What SQLite plans for a statement, for tests.
    func plan(of statement: some NamedStatement) throws(StorageError) -> [String] {
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
