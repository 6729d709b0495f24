import CSQLite
import Location

/// The recordings' rows: what SQL there is for them. For the storage thread; nothing here waits or retries.
final class RecordingStore {
    /// The recordings as they are, those of the transaction under way included.
    var table = RecordingTable()
    /// Erased recordings of which something is still to be removed, by the keys of their rows.
    var erased: [Int64] = []
    /// Recordings that may have positions which are acknowledged and still kept.
    var settled: Set<RecordingID> = []
    /// Positions and dead letters that a read found to be none; the next transaction takes them out.
    var unreadable: Set<Unreadable> = []
    /// Compiled once.
    let statements: RecordingStatements

    /// Reads the recordings, and none of their positions.
    init(_ database: borrowing Database) throws(JournalError) {
        statements = try RecordingStatements(database)
        try load(from: database)
    }

    /// Runs `body`, which is a transaction: when it throws, all is as before in memory too.
    func changing<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        let before = (erased, settled, unreadable)
        do throws(JournalError) {
            let result = try body()
            table.commit()
            return result
        } catch {
            table.rollback()
            (erased, settled, unreadable) = before
            throw error
        }
    }

    /// Stores positions in their order, within a transaction. Those of a recording that is no more are left out.
    func write(
        _ batch: borrowing PendingPositions.Batch, _ range: Range<Int>, atMicroseconds now: Int64
    ) throws(JournalError) {
        let bytes = batch.bytes.span.bytes
        var current: (id: RecordingID, row: RecordingRow)?
        for index in range {
            let entry = batch.entries[index]
            if entry.recording != current?.id {
                if let current { table[current.id] = current.row }
                current = nil
                guard let row = table[entry.recording] else { continue }
                // A receiver knows the time also where the system's clock was never set.
                let time = now >= RecordingMark.firstPlausible ? now : max(now, entry.timeMicroseconds)
                current = (entry.recording, try marking(row, atMicroseconds: time))
            }
            guard let row = current?.row else { continue }
            try statements.insertPosition.run(row.row, row.stored.last + 1, bytes.extracting(entry.bytes))
            current?.row.append(bytes: entry.bytes.count, timeMicroseconds: entry.timeMicroseconds)
        }
        if let current { table[current.id] = current.row }
    }

    /// A position or dead letter that is none.
    struct Unreadable: Hashable {
        var recording: RecordingID
        var number: Int64
    }

    /// Counts what was dropped before it was written, and returns the events that tell of it.
    func count(_ lost: [RecordingID: PendingEvents.Dropped], reason: String) -> [Event] {
        var events: [Event] = []
        for (id, dropped) in lost {
            guard var row = table[id] else { continue }
            row.stored.dropped += dropped.count
            table[id] = row
            events.append(.dropped(dropped, of: row.stored.key, reason: reason))
        }
        return events
    }

    /// The bytes of all payloads, and their number.
    var totals: (bytes: Int64, rows: Int64) {
        table.allRows.reduce(into: (0, 0)) { sums, row in
            sums.bytes += row.stored.bytes
            sums.rows += row.retained + row.stored.deadLetters
        }
    }

    /// Writes what the transaction has changed.
    func writeCounts() throws(JournalError) {
        for row in table.changed { try statements.updateCounts.run(row.counts + [.integer(row.row)]) }
    }

    /// Notes now and then which number was the last at which time, within a transaction: by this is known what is old.
    func marking(_ row: RecordingRow, atMicroseconds now: Int64) throws(JournalError) -> RecordingRow {
        if let mark = row.mark {
            // Also where the clock was set back.
            let isDue = (now - mark.timeMicroseconds).magnitude >= RecordingMark.interval
            if mark.number >= row.stored.last || !isDue { return row }
        }
        if row.stored.last == row.floor { return row }
        try statements.insertMark.run([.integer(row.row), .integer(row.stored.last), .integer(now)])
        var row = row
        row.mark = RecordingMark(number: row.stored.last, timeMicroseconds: now)
        return row
    }

    private func load(from database: borrowing Database) throws(JournalError) {
        let operation = "read the recordings"
        let path = database.path
        try Statement(
            database, "SELECT \(RecordingRow.columns), isErased FROM recordings", as: operation
        ).run { row throws(JournalError) in
            if row.integer(19) == 1 {
                erased.append(row.integer(0))
            } else if var recording = RecordingRow(row) {
                if recording.stored.waiting > 0 { recording.stored.oldestWaiting = try oldestWaiting(of: recording) }
                try statements.lastMark.first([.integer(recording.row)]) { mark in
                    recording.mark = RecordingMark(number: mark.integer(0), timeMicroseconds: mark.integer(1))
                }
                table[recording.stored.id] = recording
                settled.insert(recording.stored.id)
            } else {
                // Not ours to guess what was meant: the file is set aside, and what can be read of it saved.
                throw JournalError(
                    "\(operation) (\(path))", .sqlite(SQLITE_CORRUPT), "recording \(row.integer(0)) makes no sense")
            }
            return true
        }
        table.commit()
    }

    /// When the oldest position that waits was; nil where none does.
    func oldestWaiting(of row: RecordingRow) throws(JournalError) -> UTCTime? {
        var time: UTCTime?
        try statements.firstPosition.first([.integer(row.row), .integer(row.settled)]) { row in
            do throws(PayloadError) {
                time = UTCTime(secondsSinceEpoch: try row.withBytes(0, PositionPayload.timestamp))
            } catch {
                // Found and told of when it is read or verified; until then it has no time.
                time = nil
            }
        }
        return time
    }
}

extension RecordingRow {
    /// One more position waits.
    fileprivate mutating func append(bytes: Int, timeMicroseconds: Int64) {
        if stored.waiting == 0 { stored.oldestWaiting = UTCTime(microseconds: timeMicroseconds) }
        stored.last += 1
        stored.waiting += 1
        retained += 1
        stored.bytes += Int64(bytes)
    }
}

extension Event {
    /// What tells that positions of a recording could not be read any more.
    static func damaged(_ count: Int64, of key: RecordingKey) -> Event {
        Event(
            .positionsDropped, app: key.app.name, uid: key.app.uid,
            details: ["recording": .text(key.identifier), "reason": "damaged", "count": .integer(count)])
    }

    /// What tells that positions of a recording were dropped: how many, from when to when, and why.
    static func dropped(
        _ dropped: PendingEvents.Dropped, of key: RecordingKey, reason: String, deadLetters: Bool = false
    ) -> Event {
        Event(
            .positionsDropped, app: key.app.name, uid: key.app.uid,
            details: [
                "recording": .text(key.identifier), "reason": .text(reason),
                deadLetters ? "deadLetters" : "count": .integer(dropped.count),
                "from": .text(UTCTime(microseconds: dropped.fromMicroseconds).iso8601(fraction: 6)),
                "to": .text(UTCTime(microseconds: dropped.toMicroseconds).iso8601(fraction: 6)),
            ])
    }
}
