import Location
import Storage

extension EventStore {
    /// Checks the stored recordings: numbers without gaps, readable payloads, correct counts, and no rows without a
    /// recording.
    func checkRecordings(_ result: inout Verification) throws(StorageError) {
        var findings: [String] = []
        func find(_ finding: String) {
            if findings.count < Self.mostFindings { findings.append(finding) }
        }
        for row in recordings.table.allRows {
            var check = RecordingCheck(row)
            try check.numbers(in: database, find)
            try check.rows(in: recordings, isDeadLetter: false, find)
            try check.rows(in: recordings, isDeadLetter: true, find)
            check.counts(find)
            result.unchecked += check.unchecked
            result.recordings += 1
            result.positions += check.retained
        }
        for table in ["positions", "deadLetters", "gaps", "marks", "segments"] { try checkOwners(of: table, find) }
        result.findings += findings
    }

    /// Checks that rows belong to a recording, possibly one that is being erased.
    private func checkOwners(of table: String, _ find: (String) -> Void) throws(StorageError) {
        var recording: Int64 = -1
        // From one recording to the next, independent of their numbers of rows.
        let next = try Statement(
            database, "SELECT min(recording) FROM \(table) WHERE recording > ?", as: "check the recordings")
        let owner = try Statement(database, "SELECT 1 FROM recordings WHERE id = ?", as: "check the recordings")
        while true {
            var found: Int64?
            try next.first([.integer(recording)]) { found = $0.optionalInteger(0) }
            guard let found else { return }
            recording = found
            var hasOwner = false
            try owner.first([.integer(recording)]) { _ in hasOwner = true }
            if !hasOwner { find("table \(table) has rows of recording \(recording), which does not exist") }
        }
    }
}

/// The check of one recording.
private struct RecordingCheck {
    private static let operation = "check the recordings"

    let row: RecordingRow
    let name: String
    var retained: Int64 = 0
    var waiting: Int64 = 0
    var letters: Int64 = 0
    var bytes: Int64 = 0
    var unchecked: Int64 = 0

    init(_ row: RecordingRow) {
        self.row = row
        name = "recording \(row.stored.key)"
    }

    /// Checks that each number above the floor is either a position, a dead letter or in a gap.
    mutating func numbers(in database: borrowing Database, _ find: (String) -> Void) throws(StorageError) {
        var expected = row.floor + 1
        let name = name
        // Merged in the order of the keys, so that no amount of rows is sorted.
        try Statement(
            database,
            """
            SELECT seq, seq FROM positions WHERE recording = ?1
            UNION ALL SELECT seq, seq FROM deadLetters WHERE recording = ?1 AND seq > ?2
            UNION ALL SELECT first, last FROM gaps WHERE recording = ?1
            ORDER BY 1
            """, as: Self.operation
        ).run([.integer(row.row), .integer(row.floor)]) { numbers in
            let (first, last) = (numbers.integer(0), numbers.integer(1))
            if first > expected { find(Self.missing(expected, first - 1, of: name)) }
            // A gap may begin below the floor, which has moved into it.
            if first < expected, expected > row.floor + 1 || last == first {
                find("\(name): number \(first) exists twice, or was erased")
            }
            expected = max(expected, last + 1)
            return true
        }
        if expected <= row.stored.last { find(Self.missing(expected, row.stored.last, of: name)) }
        if expected > row.stored.last + 1 {
            find("\(name): number \(expected - 1) exists, though \(row.stored.last) was the last")
        }
    }

    /// Checks that every payload can be read. Those that are locked are counted, and not checked.
    mutating func rows(
        in store: RecordingStore, isDeadLetter: Bool, _ find: (String) -> Void
    ) throws(StorageError) {
        var (count, waiting, bytes, unchecked) = (Int64(0), waiting, bytes, unchecked)
        var after: Int64 = -1
        let (row, name, noun) = (row, name, isDeadLetter ? "dead letter" : "position")
        try store.statements.rows(
            isDeadLetter ? .deadLetters : .positions, [.integer(row.row), .integer(after), .integer(-1)]
        ) { columns throws(StorageError) in
            after = columns.integer(0)
            count += 1
            if !isDeadLetter, after > row.settled { waiting += 1 }
            bytes += Int64(columns.withBytes(1) { $0.count })
            do throws(RowFailure) {
                let payload = try store.payload(columns, of: row, isDeadLetter: isDeadLetter)
                if isDeadLetter {
                    _ = try payload.decoded(DeadLetterPayload.decode)
                } else {
                    _ = try payload.decoded(PositionPayload.decode)
                }
            } catch {
                switch error {
                case .damaged: find("\(name): \(noun) \(after) cannot be read")
                case .locked: unchecked += 1
                case .journal(let error): throw error
                }
            }
            return true
        }
        if isDeadLetter { letters = count } else { retained = count }
        (self.waiting, self.bytes, self.unchecked) = (waiting, bytes, unchecked)
    }

    func counts(_ find: (String) -> Void) {
        for (what, counted, stored) in [
            ("positions", retained, row.retained), ("pending positions", waiting, row.stored.waiting),
            ("dead letters", letters, row.stored.deadLetters), ("bytes", bytes, row.stored.bytes),
        ] where counted != stored {
            find("\(name): it has \(counted) \(what), not \(stored)")
        }
    }

    private static func missing(_ first: Int64, _ last: Int64, of name: String) -> String {
        first == last ? "\(name): number \(first) is missing" : "\(name): numbers \(first) to \(last) are missing"
    }
}
