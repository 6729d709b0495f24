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
    var unreadable: [(recording: RecordingID, number: Int64)] = []
    /// Why some of what is stored could not be read.
    private(set) var loss: JournalError?
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
                guard let row = table[entry.recording] else {
                    current = nil
                    continue
                }
                current = (entry.recording, row)
                try mark(row, positionMicroseconds: entry.timeMicroseconds, nowMicroseconds: now)
            }
            guard let row = current?.row else { continue }
            try statements.insertPosition.run(row.row, row.stored.last + 1, bytes.extracting(entry.bytes))
            current?.row.append(bytes: entry.bytes.count, timeMicroseconds: entry.timeMicroseconds)
        }
        if let current { table[current.id] = current.row }
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

    /// What is handed over at the start.
    var loaded: LoadedRecordings { LoadedRecordings(table.all, loss: loss) }

    /// Writes what the transaction has changed.
    func writeCounts() throws(JournalError) {
        for row in table.changed { try statements.updateCounts.run(row.counts + [.integer(row.row)]) }
    }

    /// Notes now and then which number was the next at which time: by this is known what is too old.
    private func mark(
        _ row: RecordingRow, positionMicroseconds: Int64, nowMicroseconds: Int64
    ) throws(JournalError) {
    }

    private func load(from database: borrowing Database) throws(JournalError) {
        let operation = "read the recordings"
        var unreadable = 0
        try Statement(
            database, "SELECT \(RecordingRow.columns), isErased FROM recordings", as: operation
        ).run { row throws(JournalError) in
            if row.integer(19) == 1 {
                erased.append(row.integer(0))
            } else if var recording = RecordingRow(row) {
                if recording.stored.waiting > 0 { recording.stored.oldestWaiting = try oldestWaiting(of: recording) }
                table[recording.stored.id] = recording
                settled.insert(recording.stored.id)
            } else {
                unreadable += 1
            }
            return true
        }
        table.commit()
        if unreadable > 0 {
            loss = JournalError(
                "\(operation) (\(database.path))", .unreadable, "\(unreadable) of them make no sense")
        }
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
        kept += 1
        stored.bytes += Int64(bytes)
    }
}

extension Event {
    /// What tells that positions of a recording were dropped: how many, from when to when, and why.
    static func dropped(_ dropped: PendingEvents.Dropped, of key: RecordingKey, reason: String) -> Event {
        Event(
            .positionsDropped, app: key.app.name, uid: key.app.uid,
            details: [
                "recording": .text(key.identifier), "reason": .text(reason), "count": .integer(dropped.count),
                "from": .text(UTCText.timestamp(microseconds: dropped.fromMicroseconds)),
                "to": .text(UTCText.timestamp(microseconds: dropped.toMicroseconds)),
            ])
    }
}
