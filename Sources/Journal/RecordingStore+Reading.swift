import Location

extension RecordingStore {
    /// The most rows that one read returns.
    static let largestLimit = 1_000

    /// Passes the positions after a number to `body`, in order, until it returns false. Returns how many it accepted,
    /// and the number of the last row before the refused one, readable or not.
    func readPositions(
        of id: RecordingID, after: Int64, limit: Int, _ body: (Int64, Position) -> Bool
    ) throws(JournalError) -> (recording: StoredRecording, count: Int, reached: Int64) {
        let recording = try row(of: id)
        var count = 0
        var reached = after
        try statements.positions.run(Self.range(recording, after, limit)) { row in
            let number = row.integer(0)
            do throws(PayloadError) {
                guard body(number, try row.withBytes(1, PositionPayload.decode)) else { return false }
                count += 1
            } catch {
                note(Unreadable(recording: id, number: number))
            }
            reached = number
            return true
        }
        return (recording.stored, count, reached)
    }

    /// Passes the dead letters after a number to `body` likewise.
    func readDeadLetters(
        of id: RecordingID, after: Int64, limit: Int, _ body: (DeadLetter) -> Bool
    ) throws(JournalError) -> (recording: StoredRecording, count: Int, reached: Int64) {
        let recording = try row(of: id)
        var count = 0
        var reached = after
        try statements.deadLetters.run(Self.range(recording, after, limit)) { row in
            let number = row.integer(0)
            do throws(PayloadError) {
                let (position, message) = try row.withBytes(3, DeadLetterPayload.decode)
                let letter = DeadLetter(
                    sequence: number, position: position, status: Int(row.integer(1)), message: message,
                    rejectedAt: UTCTime(microseconds: row.integer(2)))
                guard body(letter) else { return false }
                count += 1
            } catch {
                note(Unreadable(recording: id, number: number))
            }
            reached = number
            return true
        }
        return (recording.stored, count, reached)
    }

    /// Bounded: while nothing can be written, every read finds the same rows again.
    private func note(_ one: Unreadable) {
        if unreadable.count < Self.largestLimit { unreadable.insert(one) }
    }

    private func row(of id: RecordingID) throws(JournalError) -> RecordingRow {
        if let row = table[id] { return row }
        throw JournalError("read \(id)", .noSuchRecording, "there is no such recording")
    }

    private static func range(_ row: RecordingRow, _ after: Int64, _ limit: Int) -> [SQLValue] {
        [.integer(row.row), .integer(max(after, 0)), .integer(Int64(min(max(limit, 0), largestLimit)))]
    }
}
