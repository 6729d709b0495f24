import Platform
import Storage

/// Whether the write-ahead log is to be emptied, because it may have an earlier version of a value.
struct StaleLog {
    /// Whether the log may have an earlier version of a value.
    private(set) var isStale = false
    /// Whether a failure to empty the log was reported since it became stale.
    private var isReported = false
    /// When the log may be emptied at the earliest, in nanoseconds of CLOCK_MONOTONIC.
    private var nextAttempt: UInt64 = 0

    /// The pause between two attempts in nanoseconds: an attempt waits for other programs that read the journal, and
    /// nothing is committed meanwhile.
    static let pause = Duration.seconds(10).nanoseconds

    /// From here on the log may have an earlier version of a value.
    mutating func note() { isStale = true }

    /// Whether the log is to be emptied at this instant of CLOCK_MONOTONIC in nanoseconds.
    func isDue(at now: UInt64) -> Bool { isStale && now >= nextAttempt }

    /// The log was emptied.
    mutating func emptied() { self = StaleLog() }

    /// An attempt to empty the log has failed. Returns whether that is to be reported.
    mutating func failed(at now: UInt64) -> Bool {
        defer { isReported = true }
        nextAttempt = now + Self.pause
        return !isReported
    }
}

extension JournalWriter {
    /// Empties the log, because it may have an earlier version of a value. Where that fails, it is tried again.
    func requestEmptyLog(of store: EventStore) {
        staleLog.note()
        emptyStaleLog(of: store)
    }

    /// Empties the log if it may have an earlier version of a value. A failure undoes nothing of what is durable: it is
    /// reported once, and the first commit after a pause tries again.
    func emptyStaleLog(of store: EventStore) {
        guard staleLog.isDue(at: clock.monotonicNanoseconds) else { return }
        do throws(StorageError) {
            try store.emptyLog()
            staleLog.emptied()
        } catch {
            if staleLog.failed(at: clock.monotonicNanoseconds) {
                Log.warning("the journal's log could not be emptied, which is tried again: \(error)")
            }
        }
    }
}

extension EventJournal {
    /// Moves the write-ahead log into the file and empties it, so that it has no earlier version of a value. Where that fails,
    /// a later commit tries it again.
    public func emptyLog() {
        post { writer in
            writer.staleLog.note()
            if let store = writer.store { writer.emptyStaleLog(of: store) }
        }
    }
}
