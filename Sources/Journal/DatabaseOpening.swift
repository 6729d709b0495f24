import CSQLite
import Glibc
import Platform

extension Database {
    /// Opens the journal's database: refuses one that is not ours to write before anything is touched, makes it where
    /// it is missing, and brings its schema up to date. No integrity check: that is `verify`.
    static func open(in directory: StateDirectory) throws(JournalError) -> Database {
        let path = directory.databasePath
        try DatabaseHeader.check(path: path)
        try directory.makeDatabaseFile()
        let database = try Database(path: path)
        try database.refuseWhatIsNotOurs()
        try directory.closeToOthers()
        try database.configure()
        try Migrations.run(database)
        return database
    }

    /// The same check once more through SQLite, which knows what is in the write-ahead log and not yet in the file.
    private func refuseWhatIsNotOurs() throws(JournalError) {
        let index = path + "-shm"
        let hadIndex = access(index, F_OK) == 0
        try execute("PRAGMA busy_timeout = \(JournalOptions.busyMilliseconds)", as: "wait for other programs")
        // Until the file is known to be ours, closing it must not move the log into it.
        try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true, as: "leave the log alone")
        do throws(JournalError) {
            try Migrations.check(self)
        } catch {
            // Reading made the log's index, which holds nothing of its own.
            if !hadIndex, !error.isDamage { unlink(index) }
            throw error
        }
        try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false, as: "let closing empty the log")
    }

    /// What holds for every connection of the journal. sqlite.org/pragma.html, sqlite.org/security.html.
    private func configure() throws(JournalError) {
        let operation = "configure"
        try set(SQLITE_DBCONFIG_DEFENSIVE, true, as: operation)
        // Of the whole process, which has no other use of SQLite.
        sqlite3_soft_heap_limit64(2 << 20)
        try execute(
            """
            PRAGMA trusted_schema = OFF;
            PRAGMA cache_size = -256;
            PRAGMA mmap_size = 0;
            PRAGMA temp_store = MEMORY;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA auto_vacuum = INCREMENTAL;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 256;
            PRAGMA journal_size_limit = 1048576;
            """, as: operation)
    }
}
