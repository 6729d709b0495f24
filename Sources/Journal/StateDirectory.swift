import Glibc
import Location
import Platform

/// The directory that holds the journal, for this process alone as long as the object lives.
final class StateDirectory {
    /// The directory's path.
    let path: String
    /// The database's path.
    var databasePath: String { "\(path)/journal.db" }
    /// Holds the lock, flock(2): the kernel lets go of it when the process ends, however it ends.
    private let lock: OwnedDescriptor

    /// Makes the directory where it is missing (0700), and takes it for this process.
    init(path: String) throws(JournalError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw JournalError(SystemError("make the state directory", subject: path))
        }
        let lockPath = "\(path)/journal.lock"
        do throws(SystemError) {
            let file = try OwnedDescriptor("open", subject: lockPath) {
                open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            }
            try retrying("lock", subject: lockPath) { flock(file.number, LOCK_EX | LOCK_NB) }
            lock = file
        } catch {
            if error.code != EWOULDBLOCK { throw JournalError(error) }
            throw JournalError(
                "take the state directory \(path)", .inUse, "another daemon uses it; each needs a directory of its own")
        }
        self.path = path
    }

    deinit {
        // Closing alone would leave the lock to a child that was forked a moment ago and has not called exec yet.
        flock(lock.number, LOCK_UN)
    }

    /// Makes an empty database file (0600) where there is none, and makes sure that the way to it is durable: what is
    /// committed to a file is lost with the file's name, or with its directory's. SQLite gives its companions the same mode.
    ///
    /// To be called while no connection is open: closing any descriptor of the file drops SQLite's locks on it
    /// (sqlite.org/howtocorrupt.html section 2.2).
    func makeDatabaseFile() throws(JournalError) {
        do throws(SystemError) {
            let path = databasePath
            let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if created >= 0 {
                OwnedDescriptor(adopting: created).close()
            } else if errno != EEXIST {
                throw SystemError("make", subject: path)
            }
            // Also where it was there: whoever made it may have been ended before this.
            try synchronize()
            try synchronizeParent()
        } catch {
            throw JournalError(error)
        }
    }

    /// Takes from an existing database what others may do with it.
    func closeToOthers() throws(JournalError) {
        var status = stat()
        guard stat(databasePath, &status) == 0 else {
            throw JournalError(SystemError("examine", subject: databasePath))
        }
        if status.st_mode & 0o077 == 0 { return }
        if chmod(databasePath, 0o600) != 0 { throw JournalError(SystemError("close to others", subject: databasePath)) }
    }

    /// Renames the database and its companions out of the way, and returns the database's new name. What was there is
    /// kept for who wants to recover it (`sqlite3 FILE .recover`).
    func setDatabaseAside(at microseconds: Int64) throws(JournalError) -> String {
        // 20261121T032652Z, as a colon has a meaning to many who take names of files.
        let timestamp = UTCTime(microseconds: microseconds).iso8601().filter { $0 != "-" && $0 != ":" }
        let base = "\(path)/\(Self.setAsidePrefix)\(timestamp)"
        var target = base
        var attempt = 1
        while access(target, F_OK) == 0, attempt < 1_000 {
            attempt += 1
            target = "\(base)-\(attempt)"
        }
        for companion in ["-wal", "-shm", ""] where rename(databasePath + companion, target + companion) != 0 {
            // The companions may not be there.
            if companion.isEmpty || errno != ENOENT {
                throw JournalError(SystemError("set aside", subject: databasePath + companion))
            }
        }
        do throws(SystemError) { try synchronize() } catch { throw JournalError(error) }
        return String(target.dropFirst(path.utf8.count + 1))
    }

    /// The path of the database that was set aside last; nil where none is there.
    func newestSetAside() -> String? {
        guard let listing = opendir(path) else { return nil }
        defer { closedir(listing) }
        var newest: (time: Substring, attempt: Int, name: String)?
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(Self.setAsidePrefix) else { continue }
            let parts = name.dropFirst(Self.setAsidePrefix.count).split(
                separator: "-", omittingEmptySubsequences: false)
            // The companions end with a word.
            guard let time = parts.first, parts.count <= 2, let attempt = parts.count == 1 ? 1 : Int(parts[1]) else {
                continue
            }
            if let newest, (newest.time, newest.attempt) >= (time, attempt) { continue }
            newest = (time, attempt, name)
        }
        return newest.map { "\(path)/\($0.name)" }
    }

    private static let setAsidePrefix = "journal.db.damaged-"

    /// Makes the directory's own name durable, as far as that is this process's business: one that may not read the parent
    /// has not made the directory there.
    private func synchronizeParent() throws(SystemError) {
        do throws(SystemError) {
            try DurableFile.synchronize(directory: "\(path)/..")
        } catch {
            if error.code != EACCES { throw error }
        }
    }

    /// Makes names durable: a new file or a renamed one is only then certain to be found after a power cut.
    private func synchronize() throws(SystemError) {
        try DurableFile.synchronize(directory: path)
    }
}
