import Durations
import Storage

extension EventStore {
    /// The most events that one transaction drops, which bounds the delay of a commit.
    static let largestPass: Int64 = 2_000

    /// The events that retention dropped in one transaction.
    struct Expired {
        var dropped: PendingEvents.Dropped
        var reason: String
        var firstSequence: Int64
        var lastSequence: Int64
        /// Whether the pass ended at its bound, with more to drop.
        var isPartial: Bool

        /// The event that reports them.
        var event: Event {
            var event = dropped.event(reason: reason)
            event.details.append("firstSequence", .integer(firstSequence))
            event.details.append("lastSequence", .integer(lastSequence))
            return event
        }
    }

    /// Drops the oldest events that exceed a limit, within `commit`; nil if there are none. Operators' events remain
    /// and are below the retention floor from then on.
    ///
    /// Other events are only dropped from the front, so that the retained ones have no gap: an event that a wrong clock
    /// stamped in the future retains the events after it until its own time has expired or the size limit applies. Each
    /// pass drops a little more than necessary, so that a full journal does not report a few dropped rows every ten
    /// minutes.
    func dropExpired(_ retention: Retention, nowMicroseconds: Int64) throws(StorageError) -> Expired? {
        if newest < oldestRetained { return nil }
        let byAge = try firstRetainedByAge(retention, nowMicroseconds: nowMicroseconds)
        let bySize = try firstRetainedBySize(retention)
        let wanted = max(byAge, bySize)
        let retained = min(wanted, oldestRetained + Self.largestPass)
        if retained <= oldestRetained { return nil }

        var expired = Expired(
            dropped: .init(count: 0, fromMicroseconds: 0, toMicroseconds: 0), reason: byAge >= bySize ? "age" : "size",
            firstSequence: oldestRetained, lastSequence: retained - 1, isPartial: wanted > retained)
        let operation = "drop expired events"
        let before = try operatorEventsBelowFloor()
        let passed = retained - oldestRetained
        let rows =
            "FROM events WHERE seq >= \(oldestRetained) AND seq < \(retained) AND \(OperatorEvents.condition) IS NOT TRUE"
        try Statement(database, "SELECT count(*), min(time), max(time) \(rows)", as: operation)
            .first { row in
                expired.dropped = .init(
                    count: row.integer(0), fromMicroseconds: row.integer(1), toMicroseconds: row.integer(2))
            }
        try database.execute("DELETE \(rows)", as: operation)
        try setFloor(retained)
        countedBelowFloor = before + passed - expired.dropped.count
        return expired
    }

    /// Returns free pages to the file system if there are many, up to the bound of one pass, outside `commit`. Returns
    /// whether many remain.
    func shrink() throws(StorageError) -> Bool {
        let free = try database.integer("PRAGMA freelist_count", as: "measure") ?? 0
        let pages = try database.integer("PRAGMA page_count", as: "measure") ?? 0
        // Some free pages are useful, because they are reused soon.
        if free <= max(Self.fewPages, pages / 8) { return false }
        let operation = "shrink"
        try database.execute(
            "PRAGMA incremental_vacuum(\(Self.pagesOfPass)); PRAGMA wal_checkpoint(PASSIVE)", as: operation)
        let left = try database.integer("PRAGMA freelist_count", as: "measure") ?? 0
        return left < free && left > max(Self.fewPages, pages / 8)
    }

    /// The number of free pages that remain, and the number that one pass returns, which bounds the delay of the next
    /// commit.
    private static let fewPages: Int64 = 16
    private static let pagesOfPass: Int64 = 4_096

    /// Moves the log into the file, as far as other programs' reads allow.
    func empty() throws(StorageError) {
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)", as: "empty the log")
    }

    /// The first sequence number that the age limit retains.
    private func firstRetainedByAge(_ retention: Retention, nowMicroseconds: Int64) throws(StorageError) -> Int64 {
        guard let oldest = try time(of: oldestRetained), oldest < nowMicroseconds.before(retention.maximumAge) else {
            return oldestRetained
        }
        let cut = nowMicroseconds.before(retention.maximumAge / 32 * 31)
        let end = min(newest, oldestRetained + Self.largestPass)
        // The plus makes SQLite scan the rows in order, because the result is near the front.
        return try database.integer(
            "SELECT seq FROM events WHERE seq BETWEEN \(oldestRetained) AND \(end) AND +time >= \(cut) ORDER BY seq LIMIT 1",
            as: "find expired events") ?? end + 1
    }

    /// The first sequence number that the size limit retains, assuming that events have equal sizes.
    private func firstRetainedBySize(_ retention: Retention) throws(StorageError) -> Int64 {
        let used = try usage().events - meanBytesOfEvents() * operatorEventsBelowFloor()
        if used <= retention.maximumBytes { return oldestRetained }
        let excess = Double(used - retention.maximumBytes / 8 * 7) / Double(used)
        let rows = Double(newest - oldestRetained + 1)
        return oldestRetained + Int64((rows * excess).rounded(.up))
    }
}
