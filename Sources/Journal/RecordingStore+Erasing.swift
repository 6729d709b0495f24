import Location
import Storage

extension RecordingStore {
    /// The most positions that one transaction erases, which bounds the delay of a commit.
    static let largestPass: Int64 = 10_000

    /// Marks every recording for the next sweep: the retention may have become shorter.
    func sweepAll() {
        settled = Set(table.all.map(\.id))
    }

    /// Erases acknowledged positions and the rest of erased recordings, up to the bound of one transaction. Returns
    /// whether there is more.
    func sweep(_ retention: RecordingRetention) throws(StorageError) -> Bool {
        var left = Self.largestPass
        if retention.keepAcknowledged == .zero {
            while left > 0, let id = settled.first {
                guard let row = table[id], row.floor < row.stored.acknowledged else {
                    settled.remove(id)
                    continue
                }
                let end = min(row.stored.acknowledged, row.floor + left)
                left -= end - row.floor
                table[id] = try erasing(row, upTo: end)
            }
        }
        while left > 0, let row = erased.last {
            let removed = try eraseSome(of: row, atMost: left)
            left -= max(removed, 1)
            if removed == 0 { erased.removeLast() }
        }
        return left <= 0
    }

    /// Erases the positions up to a number, within a transaction; dead letters remain.
    func erasing(_ row: RecordingRow, upTo end: Int64) throws(StorageError) -> RecordingRow {
        var row = row
        let range: [SQLValue] = [.integer(row.row), .integer(row.floor), .integer(end)]
        try statements.sizeOfPositions.first(range) { sizes in
            row.retained -= sizes.integer(0)
            row.stored.bytes -= sizes.integer(1)
        }
        try statements.deletePositions.run(range)
        try statements.deleteGaps.run([.integer(row.row), .integer(end)])
        try statements.deleteMarks.run([.integer(row.row), .integer(end)])
        try eraseSegments(of: row, upTo: end)
        row.floor = end
        return row
    }

    /// Erases the keys of segments whose rows are all erased. A segment that is being written may get more rows.
    private func eraseSegments(of row: RecordingRow, upTo end: Int64) throws(StorageError) {
        var ended: [Int64] = []
        try statements.segmentsUpTo.run([.integer(row.row), .integer(end)]) { segment in
            if !sealer.isWriting(segment.integer(0)) { ended.append(segment.integer(0)) }
            return true
        }
        for segment in ended { try statements.deleteSegment.run([.integer(segment)]) }
    }

    /// Erases the keys of the segments of which no dead letter remains, after some were removed. One that is being
    /// written ends: the next dead letter begins another one.
    func eraseSegmentsOfDeadLetters(of row: RecordingRow) throws(StorageError) {
        var unused: [Int64] = []
        try statements.unusedSegments.run([.integer(row.row)]) { segment in
            unused.append(segment.integer(0))
            return true
        }
        for segment in unused {
            sealer.endWriting(segment)
            try statements.deleteSegment.run([.integer(segment)])
        }
    }

    /// Does so only if the last dead letter of a segment was removed: to examine all of them after each would take too
    /// long.
    func eraseSegmentsOfDeadLetters(of row: RecordingRow, ifEmpty segment: Int64?) throws(StorageError) {
        guard let segment else { return }
        var isEmpty = true
        try statements.lettersOfSegment.first([.integer(row.row), .integer(segment)]) { _ in isEmpty = false }
        if isEmpty { try eraseSegmentsOfDeadLetters(of: row) }
    }

    /// Removes some rows of an erased recording, and its own row last. Returns the number of rows; 0 when nothing
    /// remains.
    private func eraseSome(of row: Int64, atMost most: Int64) throws(StorageError) -> Int64 {
        var first: Int64?
        try statements.positions.first([.integer(row), .integer(-1), .integer(1)]) { first = $0.integer(0) }
        if let first {
            // Numbers are contiguous except for gaps.
            let range: [SQLValue] = [.integer(row), .integer(first - 1), .integer(first - 1 + most)]
            var count: Int64 = 0
            try statements.sizeOfPositions.first(range) { count = $0.integer(0) }
            try statements.deletePositions.run(range)
            return count
        }
        try statements.deadLetters.first([.integer(row), .integer(-1), .integer(1)]) { first = $0.integer(0) }
        if let first {
            let end = first - 1 + most
            try statements.deleteDeadLetters.run([.integer(row), .integer(end)])
            return most
        }
        try statements.deleteGaps.run([.integer(row), .integer(.max)])
        try statements.deleteMarks.run([.integer(row), .integer(.max)])
        try statements.deleteSegments.run([.integer(row)])
        try statements.deleteRecording.run([.integer(row)])
        return 0
    }
}
