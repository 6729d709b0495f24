import Cryptography
import Location
import Platform
import Protection
import Storage

extension EventStore {
    /// The segments that are read at a time.
    private static let rewrappedAtOnce: Int64 = 500

    /// Wraps the keys of all segments of the class none with another key, within `commit`. The rows stay as they are. A segment
    /// that does not open with the former key was changed, and stays as it is too: its rows are found to be damaged when they are
    /// read. So does one of a recording that is being erased.
    func rewrapSegments(from former: SymmetricKey, to key: SymmetricKey) throws(StorageError) {
        let operation = "exchange the machine's secret"
        let select = try Statement(
            database,
            """
            SELECT id, recording, isDeadLetter, keyFile, wrapped FROM segments WHERE class = 0 AND id > ?
            ORDER BY id LIMIT ?
            """, as: operation)
        let update = try Statement(database, "UPDATE segments SET wrapped = ? WHERE id = ?", as: operation)
        let recordings = Dictionary(recordings.table.allRows.map { ($0.row, $0) }) { first, _ in first }
        var last: Int64 = 0
        var isDone = false
        while !isDone {
            isDone = true
            var segments: [Segment] = []
            try select.run([.integer(last), .integer(Self.rewrappedAtOnce)]) { row in
                isDone = false
                last = row.integer(0)
                guard let recording = recordings[row.integer(1)] else { return true }
                let place = recording.place(isDeadLetter: row.integer(2) == 1)
                let keyFile = row.withBytes(3) { Array($0) }
                segments.append(
                    Segment(
                        Segment.Place(keyFile: keyFile, protection: .none, number: last, owner: place.owner),
                        wrapped: row.withBytes(4) { Array($0) }))
                return true
            }
            for segment in segments {
                let rewrapped: Segment?
                do throws(SystemError) { rewrapped = try segment.rewrapped(from: former, to: key) } catch {
                    throw StorageError(error)
                }
                if let rewrapped {
                    try update.run([.blob(rewrapped.wrapped), .integer(segment.place.number)])
                }
            }
        }
    }
}
