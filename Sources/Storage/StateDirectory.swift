import Glibc
import Location
import Platform

/// The directory of a database, locked by this process for the lifetime of the object.
package final class StateDirectory {
    /// The directory's path.
    package let path: String
    /// The database's path.
    var databasePath: String { "\(path)/\(schema.fileName)" }
    /// Which database of the directory it is.
    let schema: DatabaseSchema
    /// Holds the lock, flock(2), which the kernel releases when the process ends for any reason.
    private let lock: OwnedDescriptor

    /// Creates the directory if it is missing (0700), and locks it for this process.
    package init(path: String, _ schema: DatabaseSchema) throws(StorageError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw StorageError(SystemError("make the state directory", subject: path))
        }
        let lockPath = "\(path)/\(schema.lockName)"
        do throws(SystemError) {
            let file = try OwnedDescriptor("open", subject: lockPath) {
                open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            }
            try retrying("lock", subject: lockPath) { flock(file.number, LOCK_EX | LOCK_NB) }
            lock = file
        } catch {
            if error.code != EWOULDBLOCK { throw StorageError(error) }
            throw StorageError(
                "lock the state directory \(path)", .inUse, "another daemon uses it; each needs a directory of its own")
        }
        self.path = path
        self.schema = schema
    }

    deinit {
        // Closing the descriptor alone would leave the lock with a child process that was just forked and has not
        // called exec yet.
        flock(lock.number, LOCK_UN)
    }

    /// Creates an empty database file (0600) if there is none, and makes its directory entry durable: committed data is
    /// lost if the name of the file or of its directory is lost. SQLite gives its companion files the same mode.
    ///
    /// Call this while no connection is open: closing any descriptor of the file drops SQLite's locks on it
    /// (sqlite.org/howtocorrupt.html section 2.2).
    func makeDatabaseFile() throws(StorageError) {
        do throws(SystemError) {
            let path = databasePath
            let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if created >= 0 {
                OwnedDescriptor(adopting: created).close()
            } else if errno != EEXIST {
                throw SystemError("make", subject: path)
            }
            // Also for an existing file: the process that created it may have ended before this step.
            try synchronize()
            try synchronizeParent()
        } catch {
            throw StorageError(error)
        }
    }

    /// Removes other users' permissions from an existing database.
    func closeToOthers() throws(StorageError) {
        var status = stat()
        guard stat(databasePath, &status) == 0 else {
            throw StorageError(SystemError("examine", subject: databasePath))
        }
        if status.st_mode & 0o077 == 0 { return }
        if chmod(databasePath, 0o600) != 0 { throw StorageError(SystemError("close to others", subject: databasePath)) }
    }

    /// Renames the database and its companion files, and returns the database's new name. The file is preserved for a
    /// manual recovery (`sqlite3 FILE .recover`).
    package func setDatabaseAside(at microseconds: Int64) throws(StorageError) -> String {
        // 20261121T032652Z, without colons, because many programs give a colon in a file name a special meaning.
        let timestamp = UTCTime(microseconds: microseconds).iso8601().filter { $0 != "-" && $0 != ":" }
        let base = "\(path)/\(setAsidePrefix)\(timestamp)"
        var target = base
        var attempt = 1
        while access(target, F_OK) == 0, attempt < 1_000 {
            attempt += 1
            target = "\(base)-\(attempt)"
        }
        for companion in ["-wal", "-shm", ""] where rename(databasePath + companion, target + companion) != 0 {
            // The companion files may be missing.
            if companion.isEmpty || errno != ENOENT {
                throw StorageError(SystemError("set aside", subject: databasePath + companion))
            }
        }
        do throws(SystemError) { try synchronize() } catch { throw StorageError(error) }
        return String(target.dropFirst(path.utf8.count + 1))
    }

    /// The path of the database that was set aside last; nil if there is none.
    package func newestSetAside() -> String? {
        let names: [String]
        do throws(SystemError) { names = try FileNames.list(in: path) } catch { return nil }
        var newest: (time: Substring, attempt: Int, name: String)?
        for name in names where name.hasPrefix(setAsidePrefix) {
            let parts = name.dropFirst(setAsidePrefix.count).split(
                separator: "-", omittingEmptySubsequences: false)
            // The names of companion files end with a word.
            guard let time = parts.first, parts.count <= 2, let attempt = parts.count == 1 ? 1 : Int(parts[1]) else {
                continue
            }
            if let newest, (newest.time, newest.attempt) >= (time, attempt) { continue }
            newest = (time, attempt, name)
        }
        return newest.map { "\(path)/\($0.name)" }
    }

    private var setAsidePrefix: String { "\(schema.fileName).damaged-" }

    /// Makes the directory's own name durable if this process may do that: a process without read permission for the
    /// parent did not create the directory.
    private func synchronizeParent() throws(SystemError) {
        do throws(SystemError) {
            try DurableFile.synchronize(directory: "\(path)/..")
        } catch {
            if error.code != EACCES { throw error }
        }
    }

    /// Makes names durable: only then a new or renamed file is certain to exist after a power failure.
    private func synchronize() throws(SystemError) {
        try DurableFile.synchronize(directory: path)
    }
}
