import Location
import Protection
import Storage

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
    /// Seals and opens the payloads.
    let sealer: RecordSealer
    /// What remains to be sealed, or to be sealed with a stricter class.
    var resealing: Resealing

    /// Reads the recordings without their positions.
    init(_ database: borrowing Database, _ keys: Keyring) throws(StorageError) {
        statements = try RecordingStatements(database)
        sealer = RecordSealer(statements, keys)
        resealing = Resealing(
            hasPlain: try database.integer(
                "SELECT value FROM meta WHERE name = 'unsealed'", as: "read the recordings") == 1)
        try load(from: database)
    }

    /// Runs `body`, which is a transaction: if it throws, the state in memory is restored as well.
    func changing<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        let before = (erased, settled, unreadable, resealing)
        do throws(StorageError) {
            let result = try body()
            table.commit()
            return result
        } catch {
            table.rollback()
            (erased, settled, unreadable, resealing) = before
            // Segments that the transaction has begun do not exist.
            sealer.endWriting()
            throw error
        }
    }

    /// Stores positions in order, within a transaction. Positions of an erased recording are ignored. Returns those that
    /// cannot be sealed with their class at present, which are dropped.
    func write(
        _ batch: borrowing PendingPositions.Batch, _ range: Range<Int>, atMicroseconds now: Int64
    ) throws(StorageError) -> [RecordingID: PendingEvents.Dropped] {
        var closed: [RecordingID: PendingEvents.Dropped] = [:]
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
            let number = row.stored.last + 1
            let segment = try sealer.seal(
                batch.bytes, entry.bytes, number: number, in: row.place(), entry.protection, atMicroseconds: now)
            guard let segment else {
                let one = PendingEvents.Dropped(
                    count: 1, fromMicroseconds: entry.timeMicroseconds, toMicroseconds: entry.timeMicroseconds)
                if closed[entry.recording] == nil {
                    closed[entry.recording] = one
                } else {
                    closed[entry.recording]?.add(one)
                }
                continue
            }
            let sealed = sealer.sealed
            try statements.insertPosition.run(
                row.row, number, sealed.span.bytes, Int64(entry.protection.rawValue), segment)
            current?.row.append(bytes: sealer.sealed.count, timeMicroseconds: entry.timeMicroseconds)
        }
        if let current { table[current.id] = current.row }
        return closed
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
    func writeCounts() throws(StorageError) {
        try sealer.writeEnds()
        for row in table.changed { try statements.updateCounts.run(row.counts + [.integer(row.row)]) }
    }

    /// Stores a mark with the current time and the last number occasionally, within a transaction: marks show which
    /// positions are old.
    func marking(_ row: RecordingRow, atMicroseconds now: Int64) throws(StorageError) -> RecordingRow {
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

    private func load(from database: borrowing Database) throws(StorageError) {
        let operation = "read the recordings"
        let path = database.path
        try Statement(
            database, "SELECT \(RecordingRow.columns), isErased FROM recordings", as: operation
        ).run { row throws(StorageError) in
            if row.integer(22) == 1 {
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
                throw StorageError.damage("\(operation) (\(path))", "recording \(row.integer(0)) makes no sense")
            }
            return true
        }
        table.commit()
    }

    /// The time of the oldest pending position; nil if there is none.
    func oldestWaiting(of recording: RecordingRow) throws(StorageError) -> UTCTime? {
        var time: UTCTime?
        try statements.firstPosition.run([.integer(recording.row), .integer(recording.settled)]) {
            row throws(StorageError) in
            time = try self.time(of: row, of: recording)
            return false
        }
        return time
    }

    /// The time of a row of positions. Of a locked one the time at which its segment began, up to ten minutes earlier; nil for
    /// a damaged one, which a read or a verification finds and reports.
    func time(of row: borrowing Row, of recording: RecordingRow) throws(StorageError) -> UTCTime? {
        do throws(RowFailure) {
            let payload = try self.payload(row, of: recording)
            return UTCTime(secondsSinceEpoch: try payload.decoded(PositionPayload.timestamp))
        } catch {
            switch error {
            case .damaged: return nil
            case .journal(let error): throw error
            case .locked:
                var began: Int64?
                try statements.segmentBegin.first([
                    row.isNull(3) ? .null : .integer(row.integer(3)), .integer(recording.row),
                ]) {
                    began = $0.integer(0)
                }
                return began.map { UTCTime(microseconds: $0) }
            }
        }
    }

    /// The payload of a row with the columns `seq`, `payload`, `class` and `segment`.
    func payload(
        _ row: borrowing Row, of recording: RecordingRow, isDeadLetter: Bool = false
    ) throws(RowFailure) -> [UInt8] {
        let number = row.integer(0)
        if row.isNull(3) {
            // A row that this release has written is sealed.
            guard isDeadLetter ? resealing.hasPlain : number <= recording.unsealed else { throw .damaged }
            return row.withBytes(1) { Array($0) }
        }
        let place = recording.place(isDeadLetter: isDeadLetter)
        let (protection, segment) = (row.integer(2), row.integer(3))
        return try row.withBytes(1) { bytes throws(RowFailure) in
            try sealer.open(
                Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)), number: number, in: place, protection,
                segment: segment)
        }
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
