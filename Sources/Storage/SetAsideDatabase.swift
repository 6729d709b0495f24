import CSQLite
import Glibc

extension Database {
    /// Opens a database that was set aside for `body`, and does not modify it.
    package static func readingSetAside<Result>(
        _ path: String, sealedBy files: SealedFileSystem? = nil,
        _ body: (consuming Database) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let companions: [String] = ["-wal", "-shm"].map { path + $0 }.filter { access($0, F_OK) != 0 }
        // Reading creates these files if they are missing; they then contain nothing of their own.
        defer { for companion in companions { unlink(companion) } }
        let database = try Database(path: path, isReadOnly: true, sealedBy: files)
        try database.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true, as: "leave the log alone")
        try database.set(SQLITE_DBCONFIG_DEFENSIVE, true, as: "distrust the file")
        // The database may be larger than the available memory.
        try database.execute("PRAGMA cache_size = -256; PRAGMA mmap_size = 0", as: "configure")
        return try body(database)
    }

    /// Whether a database that was set aside can be opened at all.
    package static func canReadSetAside(_ path: String, sealedBy files: SealedFileSystem? = nil) -> Bool {
        do throws(StorageError) {
            return try readingSetAside(path, sealedBy: files) { database throws(StorageError) in
                try database.integer("SELECT count(*) FROM sqlite_schema", as: "read the schema") != nil
            }
        } catch {
            return false
        }
    }
}
