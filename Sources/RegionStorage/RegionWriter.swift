import Journal
import Platform
import Regions

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

    var directory: StateDirectory?
    var tables: RegionTables?
    private var damages = 0
    /// Why the file was set aside last, until that was reported.
    var damage: JournalError?
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
        _ body: (RegionTables) throws(JournalError) -> Answer
    ) throws(RegionStorageError) -> Answer {
        while true {
            do throws(JournalError) {
                return try body(try opened())
            } catch {
                guard try prepareAnotherAttempt(after: error) else { throw .unavailable(error) }
            }
        }
    }

    private func opened() throws(JournalError) -> RegionTables {
        if let tables { return tables }
        let directory = try lockedDirectory()
        let opened = try RegionTables(in: directory)
        let restored = try opened.restore(from: directory, next: nextSeen)
        if let restored, let file = restored.file {
            report(
                .damaged(
                    file: file, reason: damage?.message ?? "a process before found it damaged",
                    restored: restored.regions, lost: restored.lost))
        }
        damage = nil
        tables = opened
        sweep = nil
        stepSoon()
        return opened
    }

    private func lockedDirectory() throws(JournalError) -> StateDirectory {
        if let directory { return directory }
        let taken = try StateDirectory(path: path, RegionSchema.schema)
        directory = taken
        return taken
    }

    /// Prepares another attempt: closes a connection that is not usable any more, and sets a damaged file aside. Returns
    /// whether the request is to be tried again at once.
    private func prepareAnotherAttempt(after error: JournalError) throws(RegionStorageError) -> Bool {
        if error.leavesConnectionUsable { return false }
        if let tables {
            nextSeen = max(nextSeen, tables.table.next)
            lostStagings.formUnion(tables.stagings.keys)
        }
        tables = nil
        fail(commits: .unavailable(error))
        guard error.isDamage, damages < Self.mostDamages, let directory else { return false }
        damages += 1
        damage = error
        do throws(JournalError) {
            _ = try directory.setDatabaseAside(at: clock.utcMicroseconds)
        } catch {
            throw .unavailable(error)
        }
        return true
    }

    /// Answers all commits that are in progress.
    func fail(commits error: RegionStorageError) {
        for commit in commits { commit.completion(.failure(error)) }
        commits = []
    }
}
