import Cryptography
import Glibc
import Location
import Platform
import Protection
import Storage

/// The writer: opens the database, commits, retries, and drops expired rows. On the storage thread.
actor JournalWriter {
    /// How often one process sets a damaged database aside; after that the disk is assumed to be faulty.
    private static let mostDamages = 3
    /// The interval of retention checks in nanoseconds, and the number of events after which there is a check all the
    /// same.
    private static let retentionInterval: UInt64 = 600 * 1_000_000_000
    private static let retentionEvents: Int64 = 10_000
    private static let retentionPositions: Int64 = 100_000

    /// The positions that are being written, and their number.
    private var positions = PendingPositions.Batch()
    private var writtenPositions = 0

    private nonisolated let thread: StorageThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    let path: String
    let options: JournalOptions
    let clock: any TimeSource
    let bootID: String
    let intake: Intake
    let outlet: JournalOutlet

    private var retention: Retention
    private var recordingRetention: RecordingRetention
    var directory: StateDirectory?
    var store: EventStore?
    private var state = JournalState.opening
    private var hasRun = false
    /// The durable authorization; nil until it is known.
    var authorization: StoredAuthorization?
    /// The recordings of the last store; nil before the first store, and while one is open.
    var knownRecordings: [RecordingRow]?
    /// The keys with which rows are sealed and opened.
    var keys = Keyring()
    /// The classes of recordings.
    var classes = RecordingClasses()
    /// The machine's secret; nil until it was read or made.
    var machineSecret: SymmetricKey?
    /// The secret of before, while the secret is being exchanged.
    var formerSecret: SymmetricKey?
    /// Why the former secret cannot be used.
    var formerProblem: String?
    /// Whether this process has exchanged the secret of the rows.
    var hasExchanged = false
    /// Whether the log is to be emptied.
    var staleLog = StaleLog()
    /// Why the machine's secret cannot be used.
    var machineProblem: String?
    /// Whether the file has the name of the secret with which its rows are sealed.
    var isMachineNamed = false
    /// Whether the authorization was reported, or the fact that it cannot be known.
    var isHandedOver = false
    /// Why nothing is read or written any more, after the journal was closed or has failed.
    private var ended: StorageError?
    private var blocked: JournalBlockage?
    private var damages = 0
    var damageNotices: [Event] = []
    /// The reason why a database was set aside last.
    var damage: StorageError?
    /// The newest sequence number that a client may have seen, including those of a database that was set aside.
    var newestSeen: Int64 = 0
    private var nextRetention: UInt64 = 0
    private var eventsSinceRetention: Int64 = 0
    private var positionsSinceRetention: Int64 = 0
    /// Whether another transaction is needed to return free pages or to drop expired rows.
    private var isShrinking = false
    private var transactions: Int64 = 0

    init(
        path: String, options: JournalOptions, clock: any TimeSource, bootID: String, thread: StorageThread,
        intake: Intake, outlet: JournalOutlet
    ) {
        self.path = path
        self.options = options
        self.clock = clock
        self.bootID = bootID
        self.thread = thread
        self.intake = intake
        self.outlet = outlet
        retention = options.retention
        recordingRetention = options.recordingRetention
    }

    /// Opens the database if it is closed, and commits the queue. `isRetry` means that no caller requested it just now.
    func commitWaiting(isRetry: Bool = false) {
        // First, because a schedule made from here on is for entries that this commit does not include.
        thread.cancelSchedule()
        if ended != nil { return }
        do throws(StorageError) {
            let store = try openedStore()
            repeat { try commit(to: store) } while writtenPositions < positions.entries.count
        } catch {
            recover(from: error, isRetry: isRetry)
        }
    }

    /// Reads events after those appended before are durable, if that is possible.
    func read(_ query: EventQuery) throws(StorageError) -> EventPage {
        try reading { store throws(StorageError) in try store.read(query) }
    }

    /// Checks everything after the entries appended before are durable, if that is possible.
    func verify() throws(StorageError) -> Verification {
        try reading { store throws(StorageError) in try store.verify() }
    }

    /// Reads the journal's statistics.
    func statistics() throws(StorageError) -> JournalStatistics {
        let (waiting, dropped, waitingPositions, droppedPositions) = intake.pending.withLock {
            ($0.count, $0.droppedTotal, $0.positions.count, $0.positions.droppedTotal)
        }
        var statistics = JournalStatistics(
            state: state, events: 0, bytes: 0, oldestRetained: 0, newest: 0, waiting: waiting, dropped: dropped,
            transactions: transactions)
        statistics.waitingPositions = waitingPositions + positions.entries.count - writtenPositions
        statistics.droppedPositions = droppedPositions
        guard let store else { return statistics }
        statistics.recordings = store.recordings.table.count
        statistics.positions = store.recordings.totals.rows
        do throws(StorageError) {
            statistics.rowsToSeal = try store.recordings.rowsToSeal().all
            let usage = try store.usage()
            statistics.bytes = usage.all
            statistics.events = try store.operatorEventsBelowFloor() + store.newest - store.oldestRetained + 1
            statistics.positionBytes = usage.positions
            statistics.oldestMicroseconds = try store.time(of: store.oldestRetained)
            statistics.newestMicroseconds = try store.time(of: store.newest)
        } catch {
            if error.isDamage { recover(from: error, isRetry: false) }
            throw error
        }
        statistics.oldestRetained = store.oldestRetained
        statistics.newest = store.newest
        return statistics
    }

    /// Reads a recording after positions recorded before are durable, if that is possible.
    func readRecording<Result>(
        _ body: (RecordingStore) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try reading { store throws(StorageError) in
            let result = try body(store.recordings)
            if !store.recordings.unreadable.isEmpty, blocked == nil { commitSoon() }
            return result
        }
    }

    /// Sets new limits, which the next commit applies.
    func setRecordingRetention(_ retention: RecordingRetention) {
        recordingRetention = retention
        nextRetention = 0
        store?.recordings.sweepAll()
    }

    /// Sets new limits, which the next commit applies.
    func setRetention(_ retention: Retention) {
        self.retention = retention
        nextRetention = 0
    }

    /// Commits the queue, moves the log into the file, and releases both and the directory.
    func close() throws(StorageError) {
        commitWaiting()
        thread.cancelSchedule()
        defer {
            store = nil
            directory = nil
            thread.stop()
        }
        if let ended { throw ended }
        let closed = StorageError("use the journal in \(path)", .closed, "it is closed")
        ended = closed
        let (left, positionsLeft, completions) = intake.pending.withLock {
            ($0.count, $0.positions.count, $0.end(closed))
        }
        handOver(LoadedAuthorization(loss: closed), LoadedRecordings(loss: closed))
        outlet.refuse(completions, closed)
        if left + positionsLeft == 0 {
            try store?.empty()
            return
        }
        // Lost entries are worse than a log that is still full.
        throw StorageError(
            "close the journal in \(path)", .closed,
            "\(left) events and \(positionsLeft) positions could not be written")
    }

    private func reading<Result>(
        _ body: (EventStore) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        // While writing fails, a read does not trigger another attempt: it returns the stored data.
        if blocked == nil, intake.pending.withLock({ $0.count > 0 || $0.positions.count > 0 }) { commitWaiting() }
        if let ended { throw ended }
        guard let store else {
            throw StorageError("read the journal in \(path)", .system(EAGAIN), blocked?.reason ?? "it is not open")
        }
        do throws(StorageError) {
            return try body(store)
        } catch {
            if error.isDamage { recover(from: error, isRetry: false) }
            throw error
        }
    }

    private func commitSoon() {
        // The thread refuses this only after the journal was closed, when nothing is left to commit.
        _ = thread.submit(mustRun: true) { [weak self] in self?.assumeIsolated { $0.commitWaiting() } }
    }

    /// What one transaction has written, and whether more of the same is due.
    private struct Transaction {
        var batch = PendingEvents.Batch()
        var commit = Commit()
        /// What was dropped; nil where no pass was due.
        var expiry: RetentionPass?
        /// Whether more rows are to be swept or sealed.
        var hasRowsLeft = false
    }

    private func commit(to store: EventStore) throws(StorageError) {
        let now = clock.monotonicNanoseconds
        let isRetentionDue =
            now >= nextRetention || eventsSinceRetention >= Self.retentionEvents
            || positionsSinceRetention >= Self.retentionPositions
        var transaction = Transaction()
        let lost = drainPositions()
        let hadPlain: Bool
        let end = min(positions.entries.count, writtenPositions + options.largestPositionBatch)
        do throws(StorageError) {
            if !positions.entries.isEmpty || store.recordings.resealing.hasPlain { try prepareMachineSecret(store) }
            hadPlain = store.recordings.resealing.isPending
            try store.commit { () throws(StorageError) in
                try write(&transaction, to: store, positionsBefore: end, lost, isRetentionDue: isRetentionDue)
            }
        } catch {
            intake.pending.withLock { pending in
                pending.giveBack(transaction.batch)
                pending.positions.giveBack(lost)
                pending.positions.giveBack(&positions, from: writtenPositions)
            }
            writtenPositions = 0
            // A commit that fails because of a drop may succeed without one.
            if isRetentionDue { nextRetention = now + Self.retentionInterval }
            throw error
        }
        noteWritten(transaction.commit, of: store, positionsBefore: end)
        if let expiry = transaction.expiry {
            nextRetention = expiry.isPartial ? now : now + Self.retentionInterval
            (eventsSinceRetention, positionsSinceRetention) = (0, 0)
            isShrinking = true
        }
        eventsSinceRetention += Int64(transaction.commit.stored.count)
        if case .commit = intake.pending.withLock({ $0.committed() }) {
            commitSoon()
        } else if transaction.expiry?.hasPositionsLeft == true || transaction.hasRowsLeft {
            commitSoon()
        }
        enter(.running)
        outlet.committed(transaction.commit)
        if hadPlain, !store.recordings.resealing.isPending { staleLog.note() }
        emptyStaleLog(of: store)
        if isShrinking {
            isShrinking = try store.shrink()
            if isShrinking { commitSoon() }
        }
    }

    /// Writes within a transaction, in this order: what is dropped, the positions, the events, and the counts.
    private func write(
        _ transaction: inout Transaction, to store: EventStore, positionsBefore end: Int,
        _ lost: [RecordingID: PendingEvents.Dropped], isRetentionDue: Bool
    ) throws(StorageError) {
        let stamp = PendingEvents.Stamp(clock)
        var notices = damageNotices
        if let blocked { notices.append(blocked.event) }
        if isRetentionDue {
            let expiry = try RetentionPass(
                over: store, retention, recordingRetention, nowMicroseconds: stamp.utcMicroseconds)
            notices += expiry.notices
            transaction.expiry = expiry
        }
        notices += try store.recordings.removeUnreadable()
        let closed = try store.recordings.write(
            positions, writtenPositions..<end, atMicroseconds: stamp.utcMicroseconds)
        notices += store.recordings.count(lost, reason: "overflow")
        notices += store.recordings.count(closed, reason: "locked")
        transaction.batch = intake.pending.withLock { $0.drain(notices: notices, at: .init(clock)) }
        transaction.commit = try store.write(transaction.batch.entries)
        let isSweptPartially = try store.recordings.sweep(recordingRetention)
        let isSealedPartially = try store.recordings.sealSome(atMicroseconds: stamp.utcMicroseconds)
        transaction.hasRowsLeft = isSweptPartially || isSealedPartially
        try store.recordings.writeCounts()
        if store.recordings.table.isChanged { transaction.commit.recordings = store.recordings.table.all }
    }

    /// Continues from a transaction that was committed, with the positions before this index of the batch.
    private func noteWritten(_ commit: Commit, of store: EventStore, positionsBefore end: Int) {
        hasRun = true
        blocked = nil
        damageNotices = []
        newestSeen = store.newest
        for entry in commit.entries {
            for change in entry.changes { authorization?.apply(change, atMicroseconds: entry.timeMicroseconds) }
        }
        if !commit.entries.isEmpty || end > writtenPositions { transactions += 1 }
        positionsSinceRetention += Int64(end - writtenPositions)
        writtenPositions = end
        if writtenPositions == positions.entries.count {
            positions.removeAll()
            writtenPositions = 0
        }
    }

    /// Moves the pending positions into the batch once the earlier ones are written, and returns how many positions of
    /// each recording were dropped meanwhile.
    private func drainPositions() -> [RecordingID: PendingEvents.Dropped] {
        if writtenPositions < positions.entries.count { return [:] }
        writtenPositions = 0
        return intake.pending.withLock { pending in
            pending.positions.drain(into: &positions)
            return pending.positions.drainDropped()
        }
    }

    private func recover(from error: StorageError, isRetry: Bool) {
        if error.isDamage, damages < Self.mostDamages {
            damages += 1
            setAside(error)
        } else if error.isPassing(hasRun: hasRun) {
            block(error, isRetry: isRetry)
        } else {
            fail(error)
        }
    }

    /// Closes the database, and retains the state that must survive if damage is found when it is opened again.
    private func letGo() {
        isMachineNamed = false
        if let store { knownRecordings = store.recordings.table.allRows }
        store = nil
    }

    private func setAside(_ damage: StorageError) {
        self.damage = damage
        do throws(StorageError) {
            letGo()
            guard let directory else { throw damage }
            let name = try directory.setDatabaseAside(at: clock.utcMicroseconds)
            damageNotices.append(
                Event(.journalDamaged, details: ["reason": .text(damage.message), "file": .text(name)]))
        } catch {
            fail(error)
            return
        }
        commitWaiting()
    }

    private func block(_ error: StorageError, isRetry: Bool) {
        if !error.leavesConnectionUsable { letGo() }
        var next = blocked ?? JournalBlockage(sinceMicroseconds: clock.utcMicroseconds, options)
        next.reason = error.message
        if blocked == nil || isRetry { next.lengthenPause() }
        blocked = next
        let completions = intake.pending.withLock { pending in
            pending.mode = .blocked
            return pending.refuseAwaited()
        }
        enter(.full(sinceMicroseconds: next.sinceMicroseconds, reason: error.description))
        outlet.refuse(completions, error)
        thread.schedule(after: next.pause) { [weak self] in
            self?.assumeIsolated { $0.commitWaiting(isRetry: true) }
        }
    }

    /// Ends the journal with an error.
    func fail(_ error: StorageError) {
        store = nil
        directory = nil
        ended = error
        let completions = intake.pending.withLock { $0.end(error) }
        handOver(LoadedAuthorization(loss: error), LoadedRecordings(loss: error))
        enter(.failed(error))
        outlet.refuse(completions, error)
    }

    private func enter(_ next: JournalState) {
        if next == state { return }
        state = next
        outlet.report(.stateChanged(next))
    }
}
