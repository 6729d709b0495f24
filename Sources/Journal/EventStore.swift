import Authorization
import Glibc
import Protection
import Storage

/// The journal's rows: the SQL for events. For the storage thread; no method waits or retries.
final class EventStore {
    let database: Database
    private let insertion: Statement
    private let numbering: Statement
    private let bootID: String
    /// The row of this boot, once a durable transaction contains it.
    private var bootRow: Int64?

    /// The oldest retained sequence number; `newest` + 1 if there is none.
    private(set) var oldestRetained: Int64
    /// The newest sequence number that was ever assigned, 0 for none.
    private(set) var newest: Int64
    /// The number of events below `oldestRetained`, once they were counted.
    var countedBelowFloor: Int64?
    /// The recordings and their data.
    let recordings: RecordingStore
    /// The stored authorization at the time of opening; nil if it has not been restored into this file yet.
    let authorization: LoadedAuthorization?

    /// Opens the database in this directory.
    init(in directory: StateDirectory, bootID: String, _ keys: Keyring) throws(StorageError) {
        let database = try Database.open(in: directory)
        do throws(StorageError) {
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
            recordings = try RecordingStore(database, keys)
        } catch {
            // A table that the schema version promises is missing.
            if !error.isMissingTable { throw error }
            throw StorageError.damage(error.operation, error.message)
        }
        self.database = database
        self.bootID = bootID
    }

    /// Makes a new database continue the sequence of one that was set aside, so that readers' cursors remain valid.
    func continueSequence(after sequence: Int64) throws(StorageError) {
        if newest >= sequence { return }
        try database.transaction(as: "continue the sequence") { () throws(StorageError) in
            try setFloor(sequence + 1)
            try database.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES ('events', \(sequence))", as: "continue the sequence")
        }
        oldestRetained = sequence + 1
        newest = sequence
    }

    /// Runs `body`, which writes through this store, in one transaction: durable when this returns, and completely
    /// undone when this throws.
    func commit<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        let before = (bootRow, oldestRetained, newest)
        do throws(StorageError) {
            return try recordings.changing { () throws(StorageError) in
                try database.transaction(as: "commit events", body)
            }
        } catch {
            (bootRow, oldestRetained, newest) = before
            countedBelowFloor = nil
            throw error
        }
    }

    /// Writes appended entries, within `commit`, and returns the outcome.
    func write(_ entries: [PendingEvents.Entry]) throws(StorageError) -> Commit {
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

    /// Writes the events of one call after the newest event, within `commit`.
    func write(_ entry: PendingEvents.Entry) throws(StorageError) -> [StoredEvent] {
        var stored: [StoredEvent] = []
        for event in entry.events { stored.append(try write(event, of: entry)) }
        for change in entry.changes { try database.apply(change, atMicroseconds: entry.timeMicroseconds) }
        return stored
    }

    private func write(_ event: PendingEvents.Row, of entry: PendingEvents.Entry) throws(StorageError) -> StoredEvent {
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

    /// The number of an event among those of its app; nil if it is not about an app.
    ///
    /// The number of an app's first event is its time in seconds, and each following event has the next number. The app
    /// therefore learns nothing about the number of events about others, and its cursors remain valid if the numbering
    /// starts again in another file, because events of an app are less frequent than one a second on average.
    private func number(_ event: PendingEvents.Row, atMicroseconds time: Int64) throws(StorageError) -> Int64? {
        guard let app = event.app, let uid = event.uid else { return nil }
        var number: Int64?
        try numbering.run([.text(app), .integer(Int64(uid)), .integer(max(time / 1_000_000, 1))]) { row in
            number = row.integer(0)
            return true
        }
        return number
    }

    /// Deletes the numbering of apps without any events, within `commit`.
    func dropIdleNumberings() throws(StorageError) {
        try database.execute(
            """
            DELETE FROM audiences WHERE NOT EXISTS (
                SELECT 1 FROM events WHERE events.app = audiences.app AND events.uid = audiences.uid)
            """, as: "drop numberings")
    }

    /// The name of the machine's secret with which rows were sealed; nil if none was.
    func machineName() throws(StorageError) -> String? {
        var name: String?
        try Statement(
            database, "SELECT value FROM meta WHERE name = 'machine'", as: "read the name of the machine's secret"
        )
        .first { name = $0.optionalText(0) }
        return name
    }

    /// Stores the name of the machine's secret before a row is sealed with it, within `commit`.
    func setMachineName(_ name: String) throws(StorageError) {
        try Statement(
            database, "INSERT OR REPLACE INTO meta VALUES ('machine', ?)", as: "store the name of the machine's secret"
        )
        .run([.text(name)])
    }

    /// Moves the log into the file and empties it, so that it contains no earlier version of a value. Waits a short time for
    /// other programs that read the journal, and fails if they read on.
    func emptyLog() throws(StorageError) {
        let operation = "empty the log"
        // SQLite reports a log that is in use in the first column of the row, not as an error.
        let isBusy = try database.integer("PRAGMA wal_checkpoint(TRUNCATE)", as: operation)
        if isBusy != 0 { throw StorageError(operation, .system(EBUSY), "another program reads the journal") }
    }

    /// Raises the retention floor, within `commit`.
    func setFloor(_ sequence: Int64) throws(StorageError) {
        try database.execute(
            "UPDATE meta SET value = \(sequence) WHERE name = 'retentionFloor'", as: "set the retention floor")
        oldestRetained = sequence
    }

    /// The events that match a query.
    func read(_ query: EventQuery) throws(StorageError) -> EventPage {
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

    /// The oldest retained number of an app's events, the newest + 1 if there is none, and the newest, 0 for none.
    private func numbers(of audience: AppID) throws(StorageError) -> (oldestRetained: Int64, newest: Int64) {
        let values = [SQLValue.text(audience.name), .integer(Int64(audience.uid))]
        var (oldest, newest): (Int64?, Int64) = (nil, 0)
        let operation = "read an app's numbers"
        try Statement(database, "SELECT last FROM audiences WHERE app = ? AND uid = ?", as: operation)
            .first(values) { newest = $0.integer(0) }
        try Statement(database, "SELECT min(appSeq) FROM events WHERE app = ? AND uid = ? AND seq >= ?", as: operation)
            .first(values + [.integer(oldestRetained)]) { oldest = $0.optionalInteger(0) }
        return (oldest ?? newest + 1, newest)
    }

    /// The use of the database's bytes.
    struct Usage {
        /// The file.
        var all: Int64
        /// The pages of events and of all small tables.
        var events: Int64
        /// The pages of positions and dead letters.
        var positions: Int64
        /// The payloads in the pages of positions.
        var payloads: Int64

        /// The number of payload bytes above a limit of the positions' pages, and a little more.
        func excess(over limit: Int64) -> Int64 {
            if positions <= limit { return 0 }
            let over = Double(positions - limit / 32 * 31) / Double(positions)
            return Int64((Double(payloads) * over).rounded(.up))
        }
    }

    /// The size of the database and its use. The pages are not counted per table but estimated from the stored amounts,
    /// because an exact count would read all of them.
    func usage() throws(StorageError) -> Usage {
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

    /// The bytes of a row of positions besides its payload, and of an event besides its texts, including indices.
    private static let bytesOfPosition: Int64 = 17
    private static let bytesOfEvent: Int64 = 60

    /// Estimated from some of the oldest and the newest events.
    func meanBytesOfEvents() throws(StorageError) -> Int64 {
        let size = "length(details) + 2 * length(kind) + 2 * ifnull(length(app), 0) AS size"
        return try database.integer(
            """
            SELECT avg(size) + \(Self.bytesOfEvent) FROM (
                SELECT * FROM (SELECT \(size) FROM events ORDER BY seq LIMIT 256)
                UNION ALL SELECT * FROM (SELECT \(size) FROM events ORDER BY seq DESC LIMIT 256))
            """, as: "measure") ?? 0
    }

    /// The time of the event with this sequence number, in microseconds; nil if it does not exist.
    func time(of sequence: Int64) throws(StorageError) -> Int64? {
        try database.integer("SELECT time FROM events WHERE seq = \(sequence)", as: "read an event's time")
    }

    private func rowOfThisBoot() throws(StorageError) -> Int64 {
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
