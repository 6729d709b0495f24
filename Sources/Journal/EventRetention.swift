extension EventStore {
    /// The most events that one transaction drops: bounds how long a commit waits for it.
    static let largestPass: Int64 = 2_000

    /// What retention dropped in one transaction.
    struct Expired {
        var dropped: PendingEvents.Dropped
        var reason: String
        var firstSequence: Int64
        var lastSequence: Int64
        /// Whether the pass ended at its bound, with more to drop.
        var isPartial: Bool

        /// The event that tells of it.
        var event: Event {
            var event = dropped.event(reason: reason)
            event.details.append("firstSequence", .integer(firstSequence))
            event.details.append("lastSequence", .integer(lastSequence))
            return event
        }
    }

    /// Drops the oldest events that are over a limit, within `commit`; nil where none is. Operators' events stay, and are below
    /// the retention floor from then on.
    ///
    /// Otherwise only ever from the front, so that what is kept has no gap: an event that a wrong clock stamped in the future
    /// keeps what is behind it until its own time or the size comes. Each time a little more than necessary goes, so
    /// that a full journal does not tell of a few dropped rows every ten minutes.
    func dropExpired(_ retention: Retention, nowMicroseconds: Int64) throws(JournalError) -> Expired? {
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

    /// Gives free pages back to the file system where there are many, as many as one pass may, outside `commit`. Returns
    /// whether there are many still.
    func shrink() throws(JournalError) -> Bool {
        let free = try database.integer("PRAGMA freelist_count", as: "measure") ?? 0
        let pages = try database.integer("PRAGMA page_count", as: "measure") ?? 0
        // What comes and goes leaves some that are used again soon.
        if free <= max(Self.fewPages, pages / 8) { return false }
        let operation = "shrink"
        try database.execute(
            "PRAGMA incremental_vacuum(\(Self.pagesOfPass)); PRAGMA wal_checkpoint(PASSIVE)", as: operation)
        let left = try database.integer("PRAGMA freelist_count", as: "measure") ?? 0
        return left < free && left > max(Self.fewPages, pages / 8)
    }

    /// Free pages that are left alone, and those that one pass gives back: bounds how long the next commit waits.
    private static let fewPages: Int64 = 16
    private static let pagesOfPass: Int64 = 4_096

    /// Moves the log into the file, as far as other programs' reads allow.
    func empty() throws(JournalError) {
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)", as: "empty the log")
    }

    /// The first sequence number that age lets stay.
    private func firstRetainedByAge(_ retention: Retention, nowMicroseconds: Int64) throws(JournalError) -> Int64 {
        let age = retention.maximumAge.components.seconds.multipliedReportingOverflow(by: 1_000_000)
        if age.overflow { return oldestRetained }
        guard let oldest = try time(of: oldestRetained), oldest < nowMicroseconds - age.partialValue else {
            return oldestRetained
        }
        let cut = nowMicroseconds - age.partialValue / 32 * 31
        let end = min(newest, oldestRetained + Self.largestPass)
        // The plus keeps SQLite to the order of the rows, where the answer is near the front.
        return try database.integer(
            "SELECT seq FROM events WHERE seq BETWEEN \(oldestRetained) AND \(end) AND +time >= \(cut) ORDER BY seq LIMIT 1",
            as: "find expired events") ?? end + 1
    }

    /// The first sequence number that the size lets stay, taking events to be of one size.
    private func firstRetainedBySize(_ retention: Retention) throws(JournalError) -> Int64 {
        let used = try usage().events - meanBytesOfEvents() * operatorEventsBelowFloor()
        if used <= retention.maximumBytes { return oldestRetained }
        let excess = Double(used - retention.maximumBytes / 8 * 7) / Double(used)
        let rows = Double(newest - oldestRetained + 1)
        return oldestRetained + Int64((rows * excess).rounded(.up))
    }
}
