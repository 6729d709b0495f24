import CSQLite
import Location

/// The recordings' rows: the SQL for recordings. For the storage thread; no method waits or retries.
final class RecordingStore {
    /// The current recordings, including the changes of a running transaction.
    var table = RecordingTable()
    /// Erased recordings whose rows are not completely removed yet, by the keys of their rows.
    var erased: [Int64] = []
    /// Recordings that may have acknowledged positions which are still stored.
    var settled: Set<RecordingID> = []
    /// Positions and dead letters that a read found to be unreadable; the next transaction removes them.
    var unreadable: Set<Unreadable> = []
    /// The compiled statements.
    let statements: RecordingStatements

    /// Reads the recordings without their positions.
    init(_ database: borrowing Database) throws(JournalError) {
        statements = try RecordingStatements(database)
        try load(from: database)
    }

    /// Runs `body`, which is a transaction: if it throws, the state in memory is restored as well.
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

    /// Stores positions in order, within a transaction. Positions of an erased recording are ignored.
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
                // A receiver provides the time even if the system's clock was never set.
                let time = now >= RecordingMark.firstPlausible ? now : max(now, entry.timeMicroseconds)
                current = (entry.recording, try marking(row, atMicroseconds: time))
            }
            guard let row = current?.row else { continue }
            try statements.insertPosition.run(row.row, row.stored.last + 1, bytes.extracting(entry.bytes))
            current?.row.append(bytes: entry.bytes.count, timeMicroseconds: entry.timeMicroseconds)
        }
        if let current { table[current.id] = current.row }
    }

    /// An unreadable position or dead letter.
    struct Unreadable: Hashable {
        var recording: RecordingID
        var number: Int64
    }

    /// Counts positions that were dropped before they were written, and returns the events that report them.
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

    /// Writes the counts of recordings that the transaction has changed.
    func writeCounts() throws(JournalError) {
        for row in table.changed { try statements.updateCounts.run(row.counts + [.integer(row.row)]) }
    }

    /// Stores a mark with the current time and the last number occasionally, within a transaction: marks show which
    /// positions are old.
    func marking(_ row: RecordingRow, atMicroseconds now: Int64) throws(JournalError) -> RecordingRow {
        if let mark = row.mark {
            // Also after the clock was set back.
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
            if row.integer(21) == 1 {
                erased.append(row.integer(0))
            } else if var recording = RecordingRow(row) {
                if recording.stored.waiting > 0 { recording.stored.oldestWaiting = try oldestWaiting(of: recording) }
                try statements.lastMark.first([.integer(recording.row)]) { mark in
                    recording.mark = RecordingMark(number: mark.integer(0), timeMicroseconds: mark.integer(1))
                }
                table[recording.stored.id] = recording
                settled.insert(recording.stored.id)
            } else {
                // The intended value cannot be guessed: the file is set aside, and its readable contents are salvaged.
                throw JournalError(
                    "\(operation) (\(path))", .sqlite(SQLITE_CORRUPT), "recording \(row.integer(0)) makes no sense")
            }
            return true
        }
        table.commit()
    }

    /// The time of the oldest pending position; nil if there is none.
    func oldestWaiting(of row: RecordingRow) throws(JournalError) -> UTCTime? {
        var time: UTCTime?
        try statements.firstPosition.first([.integer(row.row), .integer(row.settled)]) { row in
            do throws(PayloadError) {
                time = UTCTime(secondsSinceEpoch: try row.withBytes(0, PositionPayload.timestamp))
            } catch {
                // The damage is found and reported by a read or a verification; until then the position has no time.
                time = nil
            }
        }
        return time
    }
}

extension RecordingRow {
    /// Adds a pending position.
    fileprivate mutating func append(bytes: Int, timeMicroseconds: Int64) {
        if stored.waiting == 0 { stored.oldestWaiting = UTCTime(microseconds: timeMicroseconds) }
        stored.last += 1
        stored.waiting += 1
        retained += 1
        stored.bytes += Int64(bytes)
    }
}

extension Event {
    /// The event for positions of a recording that became unreadable.
    static func damaged(_ count: Int64, of key: RecordingKey) -> Event {
        Event(
            .positionsDropped, app: key.app.name, uid: key.app.uid,
            details: ["recording": .text(key.identifier), "reason": "damaged", "count": .integer(count)])
    }

    /// The event for dropped positions of a recording: their number, their period and the reason.
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
