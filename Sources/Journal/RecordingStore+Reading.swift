import Location
import Storage

extension RecordingStore {
    /// The most rows that one read returns.
    static let largestLimit = 1_000

    /// Passes the positions after a number to `body`, in order, until it returns false. Returns how many it accepted,
    /// and the number of the last row before the refused one, readable or not.
    func readPositions(
        of id: RecordingID, after: Int64, limit: Int, _ body: (Int64, Position) -> Bool
    ) throws(StorageError) -> (recording: StoredRecording, count: Int, reached: Int64) {
        let recording = try row(of: id)
        return try read(recording, statements.positions, after: after, limit: limit) { row throws(RowFailure) in
            let payload = try payload(row, of: recording)
            return body(row.integer(0), try payload.decoded(PositionPayload.decode))
        }
    }

    /// Passes the dead letters after a number to `body` likewise.
    func readDeadLetters(
        of id: RecordingID, after: Int64, limit: Int, _ body: (DeadLetter) -> Bool
    ) throws(StorageError) -> (recording: StoredRecording, count: Int, reached: Int64) {
        let recording = try row(of: id)
        return try read(recording, statements.deadLetters, after: after, limit: limit) { row throws(RowFailure) in
            let payload = try payload(row, of: recording, isDeadLetter: true)
            let (position, message) = try payload.decoded(DeadLetterPayload.decode)
            return body(
                DeadLetter(
                    sequence: row.integer(0), position: position, status: Int(row.integer(4)), message: message,
                    rejectedAt: UTCTime(microseconds: row.integer(5))))
        }
    }

    /// Passes the rows after a number to `accept`, which opens them, until it returns false. A row that cannot be opened is counted,
    /// and the next one follows; a locked one ends the page, or fails if it is the first.
    private func read(
        _ recording: RecordingRow, _ statement: borrowing Statement, after: Int64, limit: Int,
        accept: (borrowing Row) throws(RowFailure) -> Bool
    ) throws(StorageError) -> (recording: StoredRecording, count: Int, reached: Int64) {
        var count = 0
        var reached = after
        try statement.run(Self.range(recording, after, limit)) { row throws(StorageError) in
            let number = row.integer(0)
            do throws(RowFailure) {
                guard try accept(row) else { return false }
                count += 1
            } catch {
                // Rows before a locked one are a page of their own.
                if let failure = error.error {
                    if reached > after { return false }
                    throw failure
                }
                note(Unreadable(recording: recording.stored.id, number: number))
            }
            reached = number
            return true
        }
        return (recording.stored, count, reached)
    }

    /// Bounded: while nothing can be written, every read finds the same rows again.
    func note(_ one: Unreadable) {
        if unreadable.count < Self.largestLimit { unreadable.insert(one) }
    }

    private func row(of id: RecordingID) throws(StorageError) -> RecordingRow {
        if let row = table[id] { return row }
        throw StorageError("read \(id)", .noSuchRecording, "there is no such recording")
    }

    private static func range(_ row: RecordingRow, _ after: Int64, _ limit: Int) -> [SQLValue] {
        [.integer(row.row), .integer(max(after, 0)), .integer(Int64(min(max(limit, 0), largestLimit)))]
    }
}

extension [UInt8] {
    /// What a payload says; `damaged` if it is none.
    func decoded<Value>(
        _ decode: (UnsafeRawBufferPointer) throws(PayloadError) -> Value
    ) throws(RowFailure) -> Value {
        let result = withUnsafeBytes { bytes -> Value? in
            do throws(PayloadError) { return try decode(bytes) } catch { return nil }
        }
        guard let result else { throw .damaged }
        return result
    }
}
