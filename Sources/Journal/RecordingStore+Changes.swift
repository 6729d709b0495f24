import Location
import Protection
import Storage

extension RecordingStore {
    /// Performs a change, within a transaction. A refusal is a result and changes nothing; a thrown error ends the
    /// transaction.
    func apply(
        _ change: RecordingChange, atMicroseconds time: Int64
    ) throws(StorageError) -> Result<RecordingOutcome, StorageError> {
        switch change {
        case .start(let key, let options): try start(key, options, atMicroseconds: time)
        case .stop(let key): try stop(key)
        case .erase(let key): try erase(key)
        case .acknowledge(let id, let number, let sent, let filtered):
            try acknowledge(id, upTo: number, sent: sent, filtered: filtered)
        case .reject(let id, let number, let status, let message):
            try reject(id, number, status: status, message: message, atMicroseconds: time)
        case .revive(let id, let number): try revive(id, number)
        }
    }

    private func start(
        _ key: RecordingKey, _ options: RecordingOptions, atMicroseconds time: Int64
    ) throws(StorageError) -> Result<RecordingOutcome, StorageError> {
        guard var row = table[key] else { return .success(.recording(try insert(key, options, time).stored)) }
        row.stored.options = options
        if !row.stored.isStarted { row.stored.startedAt = UTCTime(microseconds: time) }
        row.stored.isStarted = true
        return .success(.recording(try settle(row)))
    }

    private func insert(
        _ key: RecordingKey, _ options: RecordingOptions, _ time: Int64
    ) throws(StorageError) -> RecordingRow {
        let stored = StoredRecording(
            key: key, id: .random(), options: options, startedAt: UTCTime(microseconds: time))
        let draft = RecordingRow(row: 0, stored: stored)
        var number: Int64 = 0
        // Run to the end: a statement that writes takes effect only then.
        try statements.insertRecording.run(draft.identity + draft.settings) { columns in
            number = columns.integer(0)
            return true
        }
        let row = RecordingRow(row: number, stored: stored)
        table[stored.id] = row
        return row
    }

    private func stop(_ key: RecordingKey) throws(StorageError) -> Result<RecordingOutcome, StorageError> {
        guard var row = table[key] else { return Self.noRecording("stop", key.description) }
        row.stored.isStarted = false
        return .success(.recording(try settle(row)))
    }

    private func settle(_ row: RecordingRow) throws(StorageError) -> StoredRecording {
        try statements.updateSettings.run(row.settings + [.integer(row.row)])
        table[row.stored.id] = row
        return row.stored
    }

    /// From now on the recording cannot be found; its positions are erased in this transaction and the following ones.
    private func erase(_ key: RecordingKey) throws(StorageError) -> Result<RecordingOutcome, StorageError> {
        guard let row = table[key] else { return Self.noRecording("erase", key.description) }
        try statements.markErased.run([.integer(row.row)])
        table[row.stored.id] = nil
        erased.append(row.row)
        return .success(.number(row.retained + row.stored.deadLetters))
    }

    private func acknowledge(
        _ id: RecordingID, upTo number: Int64, sent: Int64, filtered: Int64
    ) throws(StorageError) -> Result<RecordingOutcome, StorageError> {
        guard var row = table[id] else { return Self.noRecording("acknowledge", id.description) }
        let number = min(number, row.stored.last)
        if number <= row.stored.acknowledged { return .success(.number(row.stored.acknowledged)) }
        row.stored.waiting -= try positions(of: row, after: row.settled, upTo: number)
        // Bounded by what the cursor passes, so that no caller makes the counts meaningless.
        let passed = number - row.stored.acknowledged
        let accepted = min(max(sent, 0), passed)
        row.stored.sent += accepted
        row.stored.filtered += min(max(filtered, 0), passed - accepted)
        row.stored.acknowledged = number
        settled.insert(id)
        table[id] = try withOldestWaiting(row)
        return .success(.number(number))
    }

    private func reject(
        _ id: RecordingID, _ number: Int64, status: Int, message: String, atMicroseconds time: Int64
    ) throws(StorageError) -> Result<RecordingOutcome, StorageError> {
        guard var row = table[id] else { return Self.noRecording("reject", id.description) }
        guard let stored = try stored(number, of: row) else { return Self.noPosition("reject", number, of: id) }
        let position: [UInt8]
        switch stored.position {
        case .success(let payload): position = payload
        case .failure(.damaged): return Self.noPosition("reject", number, of: id)
        case .failure(.locked(let error)): return .failure(error)
        case .failure(.journal(let error)): throw error
        }
        let payload = DeadLetterPayload.bytes(position, message: message)
        let segment = try sealer.seal(
            payload, number: number, in: row.place(isDeadLetter: true), stored.protection, atMicroseconds: time)
        guard let segment else { return .failure(.protected("reject \(id)/\(number)", .locked)) }
        try statements.insertDeadLetter.run([
            .integer(row.row), .integer(number), .integer(Int64(status)), .integer(time), .blob(sealer.sealed),
            .integer(Int64(stored.protection.rawValue)), .integer(segment),
        ])
        row.stored.bytes += Int64(sealer.sealed.count - stored.size)
        if stored.isDeadLetter {
            try eraseSegmentsOfDeadLetters(of: row, ifEmpty: stored.segment)
        } else {
            try statements.deletePosition.run([.integer(row.row), .integer(number)])
            row.retained -= 1
            row.stored.deadLetters += 1
            if number > row.settled { row.stored.waiting -= 1 }
        }
        table[id] = try withOldestWaiting(row)
        return .success(.done)
    }

    private func revive(
        _ id: RecordingID, _ number: Int64
    ) throws(StorageError) -> Result<RecordingOutcome, StorageError> {
        guard var row = table[id] else { return Self.noRecording("revive", id.description) }
        guard let stored = try stored(number, of: row), stored.isDeadLetter else {
            return Self.noPosition("revive", number, of: id)
        }
        try statements.deleteDeadLetter.run([.integer(row.row), .integer(number)])
        try eraseSegmentsOfDeadLetters(of: row, ifEmpty: stored.segment)
        if number > row.floor {
            try statements.insertGap.run([.integer(row.row), .integer(number), .integer(number)])
        }
        row.stored.deadLetters -= 1
        row.stored.sent += 1
        row.stored.bytes -= Int64(stored.size)
        table[id] = row
        return .success(.done)
    }

    /// Removes the rows that a read found to be unreadable, within a transaction, and returns the events that report
    /// it.
    func removeUnreadable() throws(StorageError) -> [Event] {
        var counts: [RecordingKey: Int64] = [:]
        var lettersOf: Set<RecordingID> = []
        for one in unreadable {
            guard var row = table[one.recording], let retained = try stored(one.number, of: row) else { continue }
            let key: [SQLValue] = [.integer(row.row), .integer(one.number)]
            row.stored.bytes -= Int64(retained.size)
            row.stored.dropped += 1
            if retained.isDeadLetter {
                try statements.deleteDeadLetter.run(key)
                row.stored.deadLetters -= 1
                lettersOf.insert(one.recording)
            } else {
                try statements.deletePosition.run(key)
                row.retained -= 1
                if one.number > row.settled { row.stored.waiting -= 1 }
            }
            if one.number > row.floor { try statements.insertGap.run(key + [.integer(one.number)]) }
            table[one.recording] = try withOldestWaiting(row)
            counts[row.stored.key, default: 0] += 1
        }
        for id in lettersOf {
            if let row = table[id] { try eraseSegmentsOfDeadLetters(of: row) }
        }
        unreadable = []
        return counts.map { .damaged($1, of: $0) }
    }

    /// The number of stored positions in a range of numbers above the floor.
    func positions(of row: RecordingRow, after: Int64, upTo end: Int64) throws(StorageError) -> Int64 {
        if end <= after { return 0 }
        var missing: Int64 = 0
        let range: [SQLValue] = [.integer(row.row), .integer(after), .integer(end)]
        try statements.countDeadLetters.first(range) { missing += $0.integer(0) }
        try statements.countGaps.first(range) { missing += $0.integer(0) }
        return end - after - missing
    }

    /// The row with the time of the oldest pending position, after that may have changed.
    func withOldestWaiting(_ row: RecordingRow) throws(StorageError) -> RecordingRow {
        var row = row
        row.stored.oldestWaiting = row.stored.waiting > 0 ? try oldestWaiting(of: row) : nil
        return row
    }

    /// A position or dead letter.
    private struct Stored {
        /// The size of what is stored, in bytes.
        var size: Int
        var isDeadLetter: Bool
        var protection: ProtectionClass
        /// The segment that the row names; nil for a plain one.
        var segment: Int64?
        /// The position's payload, or why it cannot be read.
        var position: Result<[UInt8], RowFailure>
    }

    private func stored(_ number: Int64, of row: RecordingRow) throws(StorageError) -> Stored? {
        let key: [SQLValue] = [.integer(row.row), .integer(number)]
        var found: Stored?
        try statements.position.first(key) { found = stored($0, of: row, isDeadLetter: false) }
        if found == nil { try statements.deadLetter.first(key) { found = stored($0, of: row, isDeadLetter: true) } }
        return found
    }

    private func stored(_ columns: borrowing Row, of row: RecordingRow, isDeadLetter: Bool) -> Stored {
        let position: Result<[UInt8], RowFailure>
        do throws(RowFailure) {
            let payload = try payload(columns, of: row, isDeadLetter: isDeadLetter)
            if isDeadLetter {
                position = .success(try payload.decoded(DeadLetterPayload.position))
            } else {
                _ = try payload.decoded(PositionPayload.decode)
                position = .success(payload)
            }
        } catch { position = .failure(error) }
        return Stored(
            size: columns.withBytes(1) { $0.count }, isDeadLetter: isDeadLetter,
            protection: UInt8(exactly: columns.integer(2)).flatMap(ProtectionClass.init(rawValue:)) ?? .none,
            segment: columns.optionalInteger(3), position: position)
    }

    private static func noRecording(
        _ operation: String, _ subject: String
    ) -> Result<RecordingOutcome, StorageError> {
        .failure(StorageError("\(operation) \(subject)", .noSuchRecording, "there is no such recording"))
    }

    private static func noPosition(
        _ operation: String, _ number: Int64, of id: RecordingID
    ) -> Result<RecordingOutcome, StorageError> {
        .failure(StorageError("\(operation) \(id)/\(number)", .noSuchPosition, "there is no such position"))
    }
}
