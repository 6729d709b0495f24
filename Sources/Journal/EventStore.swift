import Authorization
import CSQLite

/// The journal's rows: what SQL there is for events. For the storage thread; nothing here waits or retries.
final class EventStore {
    let database: Database
    private let insertion: Statement
    private let numbering: Statement
    private let bootID: String
    /// The row of this boot, once a transaction that is durable has it.
    private var bootRow: Int64?

    /// The oldest sequence number that is kept, `newest` + 1 where nothing is.
    private(set) var oldestRetained: Int64
    /// The newest sequence number that was ever given out, 0 for none.
    private(set) var newest: Int64
    /// How many events are below `oldestRetained`, once they were counted.
    var countedBelowFloor: Int64?
    /// The recordings, and what belongs to them.
    let recordings: RecordingStore
    /// What was stored of authorization when it was opened; nil where that is still to be brought into this file.
    let authorization: LoadedAuthorization?

    /// Opens the database in this directory.
    init(in directory: StateDirectory, bootID: String) throws(JournalError) {
        let database = try Database.open(in: directory)
        do throws(JournalError) {
            insertion = try Statement(
                database,
                """
                INSERT INTO events (seq, time, monotonic, boot, kind, app, uid, details, appSeq)
                VALUES (?,?,?,?,?,?,?,?,?)
                """, as: "write an event")
            numbering = try Statement(
                database,
                """
                INSERT INTO audiences (app, uid, last) VALUES (?,?,?)
                ON CONFLICT (app, uid) DO UPDATE SET last = last + 1 RETURNING last
                """, as: "number an event")
            oldestRetained =
                try database.integer(
                    "SELECT value FROM meta WHERE name = 'retentionFloor'", as: "read the retention floor") ?? 1
            newest =
                try database.integer(
                    "SELECT seq FROM sqlite_sequence WHERE name = 'events'", as: "read the sequence") ?? 0
            authorization = try database.isAuthorizationRestored() ? try database.readAuthorization() : nil
            recordings = try RecordingStore(database)
        } catch {
            // A table that the schema's version promises is not there.
            if error.extendedCode != SQLITE_ERROR { throw error }
            throw JournalError(error.operation, .sqlite(SQLITE_CORRUPT), error.message)
        }
        self.database = database
        self.bootID = bootID
    }

    /// Makes a new database go on after the sequence of one that was set aside, so that readers' cursors stay valid.
    func continueSequence(after sequence: Int64) throws(JournalError) {
        if newest >= sequence { return }
        try database.transaction(as: "continue the sequence") { () throws(JournalError) in
            try setFloor(sequence + 1)
            try database.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES ('events', \(sequence))", as: "continue the sequence")
        }
        oldestRetained = sequence + 1
        newest = sequence
    }

    /// Runs `body`, which writes through this store, in one transaction; durable when this returns, and as if it had
    /// not been when this throws.
    func commit<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        let before = (bootRow, oldestRetained, newest)
        do throws(JournalError) {
            return try recordings.changing { () throws(JournalError) in
                try database.transaction(as: "commit events", body)
            }
        } catch {
            (bootRow, oldestRetained, newest) = before
            countedBelowFloor = nil
            throw error
        }
    }

    /// Writes what was appended, within `commit`, and returns what came of it.
    func write(_ entries: [PendingEvents.Entry]) throws(JournalError) -> Commit {
        var commit = Commit(entries: entries)
        for (index, entry) in entries.enumerated() {
            if let request = entry.request {
                let outcome = try recordings.apply(request.change, atMicroseconds: entry.timeMicroseconds)
                commit.outcomes.append(outcome)
                if case .failure = outcome {
                    commit.entries[index].events = []
                    continue
                }
            }
            commit.stored += try write(entry)
        }
        return commit
    }

    /// Writes what one call appended after the newest, within `commit`.
    func write(_ entry: PendingEvents.Entry) throws(JournalError) -> [StoredEvent] {
        var stored: [StoredEvent] = []
        for event in entry.events { stored.append(try write(event, of: entry)) }
        for change in entry.changes { try database.apply(change, atMicroseconds: entry.timeMicroseconds) }
        return stored
    }

    private func write(_ event: PendingEvents.Row, of entry: PendingEvents.Entry) throws(JournalError) -> StoredEvent {
        let sequence = newest + 1
        let appSequence = try number(event, atMicroseconds: entry.timeMicroseconds)
        try insertion.run([
            .integer(sequence), .integer(entry.timeMicroseconds),
            .integer(Int64(clamping: entry.monotonicNanoseconds)), .integer(try rowOfThisBoot()),
            .text(event.kind.rawValue), SQLValue(event.app), SQLValue(event.uid.map { Int64($0) }),
            .text(event.details), SQLValue(appSequence),
        ])
        newest = sequence
        return StoredEvent(
            sequence: sequence, timeMicroseconds: entry.timeMicroseconds,
            monotonicNanoseconds: entry.monotonicNanoseconds, bootID: bootID, kind: event.kind.rawValue,
            app: event.app, uid: event.uid, details: event.details, appSequence: appSequence)
    }

    /// The number of an event among those of its app; nil where it is not about an app.
    ///
    /// An app's first event has its time in seconds for a number, and each one that follows the next number. The app so
    /// learns nothing of how much was recorded about others, and its cursors stay valid where the numbering begins anew in
    /// another file: events of an app come at less than one in a second on average.
    private func number(_ event: PendingEvents.Row, atMicroseconds time: Int64) throws(JournalError) -> Int64? {
        guard let app = event.app, let uid = event.uid else { return nil }
        var number: Int64?
        try numbering.run([.text(app), .integer(Int64(uid)), .integer(max(time / 1_000_000, 1))]) { row in
            number = row.integer(0)
            return true
        }
        return number
    }

    /// Forgets the numbering of apps of which no event is left, within `commit`.
    func dropIdleNumberings() throws(JournalError) {
        try database.execute(
            """
            DELETE FROM audiences WHERE NOT EXISTS (
                SELECT 1 FROM events WHERE events.app = audiences.app AND events.uid = audiences.uid)
            """, as: "drop numberings")
    }

    /// Raises the retention floor, within `commit`.
    func setFloor(_ sequence: Int64) throws(JournalError) {
        try database.execute(
            "UPDATE meta SET value = \(sequence) WHERE name = 'retentionFloor'", as: "set the retention floor")
        oldestRetained = sequence
    }

    /// The events that a query asks for.
    func read(_ query: EventQuery) throws(JournalError) -> EventPage {
        let (sql, values) = query.statement(oldestRetained: oldestRetained)
        var events: [StoredEvent] = []
        let limit = query.boundedLimit
        var hasMore = false
        let statement = try Statement(database, sql, as: "read events")
        try statement.run(values) { row in
            hasMore = events.count == limit
            if !hasMore { events.append(StoredEvent(row)) }
            return !hasMore
        }
        if query.order == .last { events.reverse() }
        var page = EventPage(events: events, hasMore: hasMore, oldestRetained: oldestRetained, newest: newest)
        if let audience = query.audience {
            (page.oldestRetained, page.newest) = try numbers(of: audience)
        }
        return page
    }

    /// The oldest number of an app's events that is kept, the newest + 1 where none is, and the newest, 0 for none.
    private func numbers(of audience: AppID) throws(JournalError) -> (oldestRetained: Int64, newest: Int64) {
        let values = [SQLValue.text(audience.name), .integer(Int64(audience.uid))]
        var (oldest, newest): (Int64?, Int64) = (nil, 0)
        let operation = "read an app's numbers"
        try Statement(database, "SELECT last FROM audiences WHERE app = ? AND uid = ?", as: operation)
            .first(values) { newest = $0.integer(0) }
        try Statement(database, "SELECT min(appSeq) FROM events WHERE app = ? AND uid = ? AND seq >= ?", as: operation)
            .first(values + [.integer(oldestRetained)]) { oldest = $0.optionalInteger(0) }
        return (oldest ?? newest + 1, newest)
    }

    /// What the database's bytes are used for.
    struct Usage {
        /// The file.
        var all: Int64
        /// The pages of events and of the little that is neither.
        var events: Int64
        /// The pages of positions and dead letters.
        var positions: Int64
        /// The payloads in these.
        var payloads: Int64

        /// How many of the payloads' bytes are over a limit of the positions' pages, and a little more.
        func excess(over limit: Int64) -> Int64 {
            if positions <= limit { return 0 }
            let over = Double(positions - limit / 32 * 31) / Double(positions)
            return Int64((Double(payloads) * over).rounded(.up))
        }
    }

    /// How many bytes the database has, and for what. Which pages are whose is not counted, but divided as what is
    /// stored divides: a full count would read them all.
    func usage() throws(JournalError) -> Usage {
        let operation = "measure"
        let size = try database.integer("PRAGMA page_size", as: operation) ?? 0
        let pages = try database.integer("PRAGMA page_count", as: operation) ?? 0
        let free = try database.integer("PRAGMA freelist_count", as: operation) ?? 0
        let used = (pages - free) * size
        let totals = recordings.totals
        let positions = Double(totals.bytes + totals.rows * Self.bytesOfPosition)
        if positions == 0 { return Usage(all: pages * size, events: used, positions: 0, payloads: 0) }
        let events =
            Double(try operatorEventsBelowFloor() + newest - oldestRetained + 1) * Double(try meanBytesOfEvents())
        let share = Int64(Double(used) * (positions / (positions + events)))
        return Usage(all: pages * size, events: used - share, positions: share, payloads: totals.bytes)
    }

    /// The bytes of a row of positions beside its payload, and of an event beside its texts, indices included.
    private static let bytesOfPosition: Int64 = 12
    private static let bytesOfEvent: Int64 = 60

    /// By some of the oldest and the newest.
    func meanBytesOfEvents() throws(JournalError) -> Int64 {
        let size = "length(details) + 2 * length(kind) + 2 * ifnull(length(app), 0) AS size"
        return try database.integer(
            """
            SELECT avg(size) + \(Self.bytesOfEvent) FROM (
                SELECT * FROM (SELECT \(size) FROM events ORDER BY seq LIMIT 256)
                UNION ALL SELECT * FROM (SELECT \(size) FROM events ORDER BY seq DESC LIMIT 256))
            """, as: "measure") ?? 0
    }

    /// The time of the event with this sequence number, in microseconds; nil where it is not there.
    func time(of sequence: Int64) throws(JournalError) -> Int64? {
        try database.integer("SELECT time FROM events WHERE seq = \(sequence)", as: "read an event's time")
    }

    private func rowOfThisBoot() throws(JournalError) -> Int64 {
        if let bootRow { return bootRow }
        let operation = "write the boot"
        try Statement(database, "INSERT OR IGNORE INTO boots (boot) VALUES (?)", as: operation).run([.text(bootID)])
        var row: Int64 = 0
        try Statement(database, "SELECT id FROM boots WHERE boot = ?", as: operation)
            .first([.text(bootID)]) { row = $0.integer(0) }
        bootRow = row
        return row
    }
}

extension StoredEvent {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            sequence: row.integer(0), timeMicroseconds: row.integer(1),
            monotonicNanoseconds: UInt64(clamping: row.integer(2)), bootID: row.text(3), kind: row.text(4),
            app: row.optionalText(5), uid: row.optionalInteger(6).flatMap { UInt32(exactly: $0) },
            details: row.text(7), appSequence: row.optionalInteger(8))
    }
}
