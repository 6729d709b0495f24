import CSQLite

/// A connection to a database file, closed once by its last owner. For one thread.
package struct Database: ~Copyable {
    /// The wait, in milliseconds, for another program that holds the database locked: it bounds the delay of a reply.
    package static let busyMilliseconds = 2_000

    /// The connection, valid as long as the value lives.
    package let handle: OpaquePointer
    /// The file, for errors.
    package let path: String
    /// What seals the file; nil for a plain one.
    package let files: SealedFileSystem?

    /// Opens an existing file; it is not read before the first statement. With a sealed file system every page of it is
    /// sealed. sqlite3_open_v2.
    package init(path: String, isReadOnly: Bool = false, sealedBy files: SealedFileSystem? = nil) throws(StorageError) {
        var opened: OpaquePointer?
        // NOMUTEX: the connection is used by one thread. Symbolic links are allowed: /var/lib/waymark may be one.
        let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        // An absolute path is no address, whatever it contains.
        let code = sqlite3_open_v2(files?.address(of: path) ?? path, &opened, flags, nil)
        let ready = code == SQLITE_OK && files != nil ? Self.prepareSealing(opened) : code
        guard ready == SQLITE_OK, let opened else {
            let error = StorageError("open \(path)", .sqlite(ready), Self.message(of: opened, code: ready))
            sqlite3_close_v2(opened)
            throw error
        }
        self.handle = opened
        self.path = path
        self.files = files
    }

    /// Runs statements without parameters. sqlite3_exec.
    package func execute(_ sql: String, as operation: String) throws(StorageError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(operation, code) }
    }

    /// The first column of the first row of a query without parameters; nil without a row or for NULL.
    package func integer(_ sql: String, as operation: String) throws(StorageError) -> Int64? {
        var result: Int64?
        let statement = try Statement(self, sql, as: operation)
        try statement.first { row in result = row.isNull(0) ? nil : row.integer(0) }
        return result
    }

    /// Sets one of SQLite's switches for this connection. sqlite3_db_config.
    func set(_ option: Int32, _ on: Bool, as operation: String) throws(StorageError) {
        let code = waymark_database_switch(handle, option, on ? 1 : 0)
        if code != SQLITE_OK { throw error(operation, code) }
    }

    /// Runs `body` in one transaction, which holds the write lock from the start and is durable when this returns. If
    /// an error is thrown, nothing of the transaction remains.
    package func transaction<Result>(
        as operation: String, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try transaction(begin: "BEGIN IMMEDIATE", as: operation, body)
    }

    /// Runs `body`, which only reads, in one transaction: its statements see the same state, and lock the file once.
    package func reading<Result>(
        as operation: String, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try transaction(begin: "BEGIN", as: operation, body)
    }

    private func transaction<Result>(
        begin: String, as operation: String, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try execute(begin, as: operation)
        do throws(StorageError) {
            let result = try body()
            try execute("COMMIT", as: operation)
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Ends a transaction of which nothing is to remain.
    package func rollBack() {
        // SQLite has rolled back by itself after some errors, and nothing is left to do. A rollback that fails leaves the
        // transaction to the next BEGIN, which fails and is reported.
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    }

    /// Whether a transaction is in progress. SQLite ends one by itself after some errors. sqlite3_get_autocommit.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed. sqlite3_changes64.
    package var changes: Int64 { sqlite3_changes64(handle) }

    /// The error for a result code, with the connection's message.
    func error(_ operation: String, _ code: Int32) -> StorageError {
        StorageError("\(operation) (\(path))", .sqlite(code), Self.message(of: handle, code: code))
    }

    /// SQLite's message, and the system's if the file system was the reason.
    static func message(of handle: OpaquePointer?, code: Int32) -> String {
        if let handle, let text = sqlite3_errmsg(handle) { return String(cString: text) }
        return sqlite3_errstr(code).map { String(cString: $0) } ?? "SQLite error \(code)"
    }

    deinit {
        // _v2: a connection whose statements are not finalized yet is closed with the last of them.
        sqlite3_close_v2(handle)
    }
}
