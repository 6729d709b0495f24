import Cryptography
import Glibc
import Platform
import Regions
import Storage

/// Opens the file and does the requests. On the storage thread.
actor RegionWriter {
    /// How often one process sets a damaged file aside; after that the disk is assumed to be faulty.
    private static let mostDamages = 3
    /// The pause after a step in the background that failed.
    static let pauseAfterFailure: Duration = .seconds(60)

    nonisolated let thread: StorageThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    let path: String
    var options: RegionStoreOptions
    let clock: any TimeSource
    let report: @Sendable (RegionStorageReport) -> Void

    /// How the file is stored.
    private var sealing = DatabaseSealing.plain
    var directory: StateDirectory?
    var tables: RegionTables?
    private var damages = 0
    /// Why the file was set aside last, until that was reported.
    var damage: StorageError?
    /// The next number of the last file that was open: a number is not used again in another file.
    private var nextSeen: Int64 = 1
    /// What was collected in a file that was closed because of an error.
    var lostStagings: Set<Staging.Key> = []
    /// Commits that are in progress, and their answers.
    var commits: [Commit] = []
    var sweep: SweepJob?
    var isStepping = false

    struct Commit {
        var job: CommitJob
        let completion: RegionStore.Completion<AddedRegions>
    }

    init(
        path: String, options: RegionStoreOptions, clock: any TimeSource, thread: StorageThread,
        report: @escaping @Sendable (RegionStorageReport) -> Void
    ) {
        self.path = path
        self.options = options
        self.clock = clock
        self.thread = thread
        self.report = report
    }

    /// Runs a request on the open file; once more on the restored one, if it turns out to be damaged.
    func perform<Answer>(
        _ body: (RegionTables) throws(StorageError) -> Answer
    ) throws(RegionStorageError) -> Answer {
        while true {
            do throws(StorageError) {
                return try body(try opened())
            } catch {
                guard try prepareAnotherAttempt(after: error) else { throw .unavailable(error) }
            }
        }
    }

    private func opened() throws(StorageError) -> RegionTables {
        if let tables { return tables }
        let files = try prepareFile()
        let opened = try open(in: try lockedDirectory(), sealedBy: files)
        tables = opened
        sweep = nil
        stepSoon()
        return opened
    }

    /// Opens a file, and restores into it what can be read of a damaged one.
    private func open(
        in directory: StateDirectory, sealedBy files: SealedFileSystem?
    ) throws(StorageError) -> RegionTables {
        let opened = try RegionTables(in: directory, sealedBy: files)
        let restored = try opened.restore(from: directory, next: nextSeen)
        if let restored, let file = restored.file {
            report(
                .damaged(
                    file: file, reason: damage?.message ?? "a process before found it damaged",
                    restored: restored.regions, lost: restored.lost))
        }
        damage = nil
        return opened
    }

    private func lockedDirectory() throws(StorageError) -> StateDirectory {
        if let directory { return directory }
        let taken = try StateDirectory(path: path, RegionSchema.database.schema(sealing))
        directory = taken
        return taken
    }

    // Sealing

    /// Closes the file, which is stored so when it is opened next.
    func use(_ sealing: DatabaseSealing) {
        close(because: .unavailable(StorageError("seal the regions", .closed, "the regions are being sealed")))
        directory = nil
        self.sealing = sealing
    }

    /// What seals the file, which replaces a plain one first; nil for a plain file.
    private func prepareFile() throws(StorageError) -> SealedFileSystem? {
        switch sealing {
        case .locked, .unavailable: break
        // The lock of the directory is held meanwhile.
        case .plain, .sealed, .unsealing: _ = try lockedDirectory()
        }
        return try RegionSchema.database.prepare(sealing, in: path) { error, files throws(StorageError) in
            guard isToBeSetAside(error) else { throw error }
            try restoreFile(sealedBy: files, after: error)
        }
    }

    /// Sets a damaged file that is to be replaced aside, and restores what can be read of it into another one of its form.
    private func restoreFile(sealedBy files: SealedFileSystem?, after error: StorageError) throws(StorageError) {
        directory = nil
        do {
            let schema = files == nil ? RegionSchema.database.plain : RegionSchema.database.sealed
            let damaged = try StateDirectory(path: path, schema)
            try setAside(in: damaged, because: error)
            nextSeen = max(nextSeen, try open(in: damaged, sealedBy: files).table.next)
        }
        _ = try lockedDirectory()
    }

    // Damage

    /// Whether an error shows that the file is damaged, and that has not happened too often.
    private func isToBeSetAside(_ error: StorageError) -> Bool { error.isDamage && damages < Self.mostDamages }

    private func setAside(in directory: StateDirectory, because error: StorageError) throws(StorageError) {
        damages += 1
        damage = error
        _ = try directory.setDatabaseAside(at: clock.utcMicroseconds)
    }

    /// Prepares another attempt: closes a connection that is not usable any more, and sets a damaged file aside. Returns
    /// whether the request is to be tried again at once.
    private func prepareAnotherAttempt(after error: StorageError) throws(RegionStorageError) -> Bool {
        if error.leavesConnectionUsable || error.reason == .protectedDataUnavailable { return false }
        close(because: .unavailable(error))
        guard isToBeSetAside(error), let directory else { return false }
        do throws(StorageError) {
            try setAside(in: directory, because: error)
        } catch {
            throw .unavailable(error)
        }
        return true
    }

    /// Closes the connection. What was staged is lost.
    private func close(because error: RegionStorageError) {
        if let tables {
            nextSeen = max(nextSeen, tables.table.next)
            lostStagings.formUnion(tables.stagings.keys)
        }
        (tables, sweep) = (nil, nil)
        fail(commits: error)
    }

    /// Answers all commits that are in progress.
    func fail(commits error: RegionStorageError) {
        for commit in commits { commit.completion(.failure(error)) }
        commits = []
    }
}
