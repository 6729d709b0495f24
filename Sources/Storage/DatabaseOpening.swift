import CSQLite
import Glibc
import Platform

extension Database {
    /// Opens the database of a directory: refuses a foreign one before anything is modified, creates a missing one, and
    /// migrates the schema. No integrity check: that is `verify`.
    /// - Parameter cacheKibibytes: The most memory for pages of the file, in KiB.
    package static func open(
        in directory: StateDirectory, sealedBy files: SealedFileSystem? = nil, cacheKibibytes: Int = 256
    ) throws(StorageError) -> Database {
        let path = directory.databasePath
        try DatabaseHeader.check(path: path, directory.schema)
        if let files { try makeSealedFile(in: directory, files) }
        try directory.makeDatabaseFile()
        let database = try Database(path: path, sealedBy: files)
        try database.refuseWhatIsNotOurs(directory.schema)
        try directory.closeToOthers()
        try database.configure(cacheKibibytes)
        try directory.schema.migrate(database)
        return database
    }

    /// Repeats the check through SQLite, which reads the write-ahead log as well as the file.
    private func refuseWhatIsNotOurs(_ schema: DatabaseSchema) throws(StorageError) {
        let index = path + "-shm"
        let hadIndex = access(index, F_OK) == 0
        try execute("PRAGMA busy_timeout = \(Self.busyMilliseconds)", as: "wait for other programs")
        // Until the file is known to be ours, closing it must not move the log into it.
        try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true, as: "leave the log alone")
        do throws(StorageError) {
            try schema.check(self)
        } catch {
            // Reading created the log's index, which contains nothing of its own.
            if !hadIndex, !error.isDamage { unlink(index) }
            throw error
        }
        try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false, as: "let closing empty the log")
    }

    /// The number of the mode in which a file returns free pages on request.
    private static let incrementalVacuum: Int64 = 2

    /// The settings of every connection. sqlite.org/pragma.html, sqlite.org/security.html.
    private func configure(_ cacheKibibytes: Int) throws(StorageError) {
        let operation = "configure"
        try set(SQLITE_DBCONFIG_DEFENSIVE, true, as: operation)
        // The limit applies to all databases of the process together.
        sqlite3_soft_heap_limit64(max(2 << 20, Int64(cacheKibibytes) << 10 + 1 << 20))
        try execute(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA cache_size = -\(cacheKibibytes);
            PRAGMA mmap_size = 0;
            PRAGMA temp_store = MEMORY;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            """, as: operation)
        // This writes to the file, also if nothing becomes different: on a full disk a file that has it could not be opened.
        if try integer("PRAGMA auto_vacuum", as: operation) != Self.incrementalVacuum {
            try execute("PRAGMA auto_vacuum = INCREMENTAL", as: operation)
        }
        try execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 256;
            PRAGMA journal_size_limit = 1048576;
            """, as: operation)
    }
}
