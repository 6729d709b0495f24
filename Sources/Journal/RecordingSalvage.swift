import Location

/// Reads recordings from a database that was set aside.
struct RecordingSalvage: ~Copyable {
    /// The recordings found in a database that was set aside.
    struct Found {
        /// The readable recordings.
        var rows: [RecordingRow] = []
        /// The reason why these may be incomplete.
        var loss: JournalError?

        /// Preserves recordings although the decisions about their apps are lost, which would otherwise be treated as a
        /// withdrawal. The recordings cannot be read before a new decision.
        mutating func keepUndecided(_ known: StoredAuthorization) {
            for index in rows.indices where known.grants[rows[index].stored.key.app] == nil {
                rows[index].stored.options.onRevoke = .keep
            }
        }
    }

    /// The most unreadable places that are skipped in one recording: a damaged page costs one.
    private static let mostFailures = 10_000

    private let database: Database

    /// Opens a database that was set aside, passes it to `body`, and does not modify it.
    static func reading<Result>(
        _ path: String, _ body: (borrowing RecordingSalvage) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try Database.readingSetAside(path) { database throws(JournalError) in
            try body(RecordingSalvage(database: database))
        }
    }

    /// Whether a database that was set aside can be opened at all.
    static func canRead(_ path: String) -> Bool {
        Database.canReadSetAside(path)
    }

    /// The recordings of a database that was set aside.
    static func recordings(in path: String) -> Found {
        var found = Found()
        do throws(JournalError) {
            try reading(path) { salvage throws(JournalError) in
                // Older schemas had none.
                let version = try salvage.database.integer("PRAGMA user_version", as: "read the schema version") ?? 0
                if version >= Migrations.firstWithRecordings { try salvage.read(into: &found, schema: version) }
            }
        } catch {
            found.loss = JournalError("read the recordings (\(path))", .unreadable, error.message)
        }
        return found
    }

    private func read(into found: inout Found, schema version: Int64) throws(JournalError) {
        var nonsense = 0
        try Statement(
            database, "SELECT \(RecordingRow.columns(ofSchema: version)) FROM recordings WHERE isErased = 0",
            as: "read the recordings"
        ).run { row in
            if let recording = RecordingRow(row) { found.rows.append(recording) } else { nonsense += 1 }
            return true
        }
        if nonsense > 0 {
            found.loss = JournalError(
                "read the recordings (\(database.path))", .unreadable, "\(nonsense) of them are invalid")
        }
    }

    /// The readable gaps of a recording.
    func gaps(of row: Int64) -> [ClosedRange<Int64>] {
        var gaps: [ClosedRange<Int64>] = []
        do throws(JournalError) {
            try Statement(database, "SELECT first, last FROM gaps WHERE recording = ?", as: "read gaps")
                .run([.integer(row)]) { row in
                    let (first, last) = (row.integer(0), row.integer(1))
                    if first > 0, last >= first { gaps.append(first...last) }
                    return true
                }
        } catch {
            // A gap that is not known counts as a loss, which reports too much but hides nothing.
            return gaps
        }
        return gaps
    }

    /// A row that could be read.
    struct RetainedRow {
        var number: Int64
        var payload: [UInt8]
        var status: Int64 = 0
        var rejectedAt: Int64 = 0
    }

    /// The progress of reading a recording's rows.
    struct Progress {
        /// The next number to read.
        var next: Int64
        /// The last number to read.
        let last: Int64
        /// The number of unreadable places so far.
        fileprivate(set) var failures = 0

        /// The range from one number to another.
        init(_ next: Int64, _ last: Int64) {
            (self.next, self.last) = (next, last)
        }

        /// Whether nothing remains to be read.
        var isDone: Bool { next > last }
    }

    /// The table to read: positions or dead letters.
    enum Table: String {
        case positions, deadLetters

        fileprivate var columns: String {
            switch self {
            case .positions: "seq, payload"
            case .deadLetters: "seq, payload, status, rejectedAt"
            }
        }
    }

    /// Reads some rows of a recording in ascending order, skipping unreadable ones.
    func rows(_ table: Table, of row: Int64, _ progress: inout Progress, atMost most: Int) -> [RetainedRow] {
        var retained: [RetainedRow] = []
        let start = progress.next
        do throws(JournalError) {
            var count = 0
            try Statement(database, Self.sql(table), as: "salvage").run([
                .integer(row), .integer(start), .integer(progress.last), .integer(Int64(most)),
            ]) { row in
                let number = row.integer(0)
                // In a damaged table rows may be out of order.
                guard number >= progress.next, number <= progress.last else { return true }
                if let one = Self.retained(table, row) { retained.append(one) }
                progress.next = number + 1
                count += 1
                return true
            }
            if count < most { progress.next = progress.last + 1 }
        } catch {
            progress.failures += 1
            if progress.failures >= Self.mostFailures {
                progress.next = progress.last + 1
            } else if progress.next == start {
                progress.next = firstReadable(table, of: row, after: start, upTo: progress.last)
            }
        }
        return retained
    }

    /// The first readable number after an unreadable one, `last` + 1 if there is none: found with doubling strides,
    /// then by bisection.
    private func firstReadable(_ table: Table, of row: Int64, after failed: Int64, upTo last: Int64) -> Int64 {
        var low = failed
        var stride: Int64 = 1
        while low < last {
            let probe = min(low + stride, last)
            if canRead(table, of: row, from: probe, upTo: last) {
                var high = probe
                while high - low > 1 {
                    let middle = low + (high - low) / 2
                    if canRead(table, of: row, from: middle, upTo: last) { high = middle } else { low = middle }
                }
                return high
            }
            low = probe
            // The stride is limited to what a few pages cover, because readable rows may follow.
            stride = min(stride * 2, 4_096)
        }
        return last + 1
    }

    private func canRead(_ table: Table, of row: Int64, from number: Int64, upTo last: Int64) -> Bool {
        do throws(JournalError) {
            try Statement(database, Self.sql(table), as: "salvage").run([
                .integer(row), .integer(number), .integer(last), .integer(1),
            ])
            return true
        } catch {
            return false
        }
    }

    private static func sql(_ table: Table) -> String {
        """
        SELECT \(table.columns) FROM \(table.rawValue) WHERE recording = ? AND seq >= ? AND seq <= ?
        ORDER BY seq LIMIT ?
        """
    }

    /// The row, if its contents are valid.
    private static func retained(_ table: Table, _ row: borrowing Row) -> RetainedRow? {
        let payload = row.withBytes(1) { Array($0) }
        do throws(PayloadError) {
            switch table {
            case .positions: _ = try row.withBytes(1, PositionPayload.decode)
            case .deadLetters: _ = try row.withBytes(1, DeadLetterPayload.decode)
            }
        } catch {
            return nil
        }
        var retained = RetainedRow(number: row.integer(0), payload: payload)
        if table == .deadLetters { (retained.status, retained.rejectedAt) = (row.integer(2), row.integer(3)) }
        return retained
    }
}
