import CSQLite
import Glibc
import Platform

extension Database {
    /// Gives a new database, or a copy, pages of the size that is sealed, with room for what sealing adds.
    static func prepareSealing(_ handle: OpaquePointer?) -> Int32 {
        let code = sqlite3_exec(handle, "PRAGMA page_size = \(SealedPage.size)", nil, nil, nil)
        return code == SQLITE_OK ? waymark_reserve_bytes(handle, Int32(SealedPage.reserved)) : code
    }

    /// Replaces the plain database of a directory by a sealed one with the same contents, under another name. After a crash at
    /// any point there is one of them that is complete, and the next call goes on. The plain file is overwritten before it is
    /// removed, which the disk may not do in the same place.
    package static func seal(
        _ plain: DatabaseSchema, as sealed: DatabaseSchema, in path: String, with files: SealedFileSystem
    ) throws(StorageError) {
        let (source, target) = ("\(path)/\(plain.fileName)", "\(path)/\(sealed.fileName)")
        guard access(source, F_OK) == 0 else { return }
        if access(target, F_OK) != 0 {
            try DatabaseHeader.check(path: source, plain)
            try make(sealed, in: path, files) { draft throws(StorageError) in
                try copy(source, to: draft, plain, with: files)
            }
        }
        do throws(SystemError) {
            for companion in companions { try overwriteAndRemove(source + companion) }
            try DurableFile.synchronize(directory: path)
        } catch { throw StorageError(error) }
    }

    /// Replaces the sealed database of a directory by a plain one with the same contents, under another name. The sealed one
    /// counts as long as it is there, and is removed when the copy is complete and durable; a copy that was left behind by a
    /// crash after that gets its name by `finishUnsealing`.
    package static func unseal(
        _ sealed: DatabaseSchema, as plain: DatabaseSchema, in path: String, with files: SealedFileSystem
    ) throws(StorageError) {
        let (source, target) = ("\(path)/\(sealed.fileName)", "\(path)/\(plain.fileName)")
        if access(source, F_OK) == 0 {
            let copy = unsealed(target)
            for companion in companions { unlink(copy + companion) }
            let file = try makeFile(copy)
            do throws(StorageError) { try copyPlain(source, to: copy, sealed, with: files) } catch {
                unlink(copy)
                throw error
            }
            do throws(SystemError) {
                // What is left of a plain file that was replaced by the sealed one.
                for companion in companions { try overwriteAndRemove(target + companion) }
                try retrying("synchronize", subject: copy) { fsync(file.number) }
                try DurableFile.synchronize(directory: path)
                try retrying("remove", subject: source) { unlink(source) }
                try DurableFile.synchronize(directory: path)
            } catch { throw StorageError(error) }
        }
        try finishUnsealing(sealed, as: plain, in: path)
    }

    /// Gives a plain copy its name if the sealed file was removed, and removes what belonged to that.
    package static func finishUnsealing(
        _ sealed: DatabaseSchema, as plain: DatabaseSchema, in path: String
    ) throws(StorageError) {
        let (source, target) = ("\(path)/\(sealed.fileName)", "\(path)/\(plain.fileName)")
        guard access(source, F_OK) != 0, errno == ENOENT else { return }
        for companion in ["-wal", "-shm"] { unlink(source + companion) }
        guard access(unsealed(target), F_OK) == 0 else { return }
        do throws(SystemError) {
            try retrying("put \(plain.noun) in its place", subject: target) { rename(unsealed(target), target) }
            try DurableFile.synchronize(directory: path)
        } catch { throw StorageError(error) }
    }

    private static let companions = ["-wal", "-shm", ""]

    /// The name of a plain copy while the sealed file exists.
    private static func unsealed(_ target: String) -> String { "\(target).unsealed" }

    private static func copyPlain(
        _ source: String, to copy: String, _ schema: DatabaseSchema, with files: SealedFileSystem
    ) throws(StorageError) {
        let operation = "unseal \(source)"
        let database = try Database(path: source, sealedBy: files)
        try schema.check(database)
        try database.execute("PRAGMA cache_size = -256; PRAGMA temp_store = MEMORY", as: operation)
        let code = waymark_reserve_bytes(database.handle, 0)
        if code != SQLITE_OK { throw database.error(operation, code) }
        try Statement(database, "VACUUM INTO ?", as: operation).run([.text(SealedFileSystem.plainAddress(of: copy))])
    }

    /// Makes an empty sealed database if there is none.
    static func makeSealedFile(in directory: StateDirectory, _ files: SealedFileSystem) throws(StorageError) {
        guard access(directory.databasePath, F_OK) != 0, errno == ENOENT else { return }
        try make(directory.schema, in: directory.path, files) { _ in }
    }

    /// Makes a sealed database under another name, and gives it its own when it is complete and durable. `fill` writes the
    /// contents into an empty file.
    private static func make(
        _ schema: DatabaseSchema, in directory: String, _ files: SealedFileSystem,
        _ fill: (String) throws(StorageError) -> Void
    ) throws(StorageError) {
        let draft = DurableFile.draft(of: "\(directory)/\(schema.fileName)")
        for companion in ["", "-wal", "-shm", "-journal"] { unlink(draft + companion) }
        do throws(StorageError) {
            let file = try makeFile(draft)
            try fill(draft)
            try Database(path: draft, sealedBy: files).startLog()
            do throws(SystemError) {
                try retrying("synchronize", subject: draft) { fsync(file.number) }
                try DurableFile.putInPlace(schema.fileName, in: directory, noun: schema.noun)
            } catch { throw StorageError(error) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func makeFile(_ path: String) throws(StorageError) -> OwnedDescriptor {
        do throws(SystemError) {
            return try OwnedDescriptor("make", subject: path) {
                Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            }
        } catch { throw StorageError(error) }
    }

    /// Begins to write changes to a log. That writes the first page without a log, and with a rollback journal only in memory,
    /// because the one on the disk would not be sealed: only a file that is not in use yet survives a power cut then.
    private func startLog() throws(StorageError) {
        try execute(
            "PRAGMA journal_mode = MEMORY; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL",
            as: "make \(path)")
    }

    private static func copy(
        _ source: String, to draft: String, _ schema: DatabaseSchema, with files: SealedFileSystem
    ) throws(StorageError) {
        let operation = "seal \(source)"
        let database = try Database(path: source)
        try schema.check(database)
        // The copy has no rollback journal, and needs no file for sorting.
        try database.execute("PRAGMA cache_size = -256; PRAGMA temp_store = MEMORY", as: operation)
        let code = prepareSealing(database.handle)
        if code != SQLITE_OK { throw database.error(operation, code) }
        try Statement(database, "VACUUM INTO ?", as: operation).run([.text(files.address(of: draft))])
    }

    /// Writes zeros over a file, synchronizes it, and removes it; a missing file is none. Flash memories and file systems that
    /// copy on writing keep the old blocks for a while.
    private static func overwriteAndRemove(_ path: String) throws(SystemError) {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return }
        let file = try OwnedDescriptor("open", subject: path) { Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) }
        var status = stat()
        try retrying("examine", subject: path) { fstat(file.number, &status) }
        let zeros = [UInt8](repeating: 0, count: 64 << 10)
        var written: off_t = 0
        while written < status.st_size {
            let count = min(zeros.count, Int(status.st_size - written))
            written += off_t(try retrying("overwrite", subject: path) { pwrite(file.number, zeros, count, written) })
        }
        try retrying("synchronize", subject: path) { fsync(file.number) }
        try retrying("remove", subject: path) { unlink(path) }
    }
}
