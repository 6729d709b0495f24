import Location
import Storage

/// Reads recordings from a database that was set aside.
struct RecordingSalvage: ~Copyable {
    /// The recordings found in a database that was set aside.
    struct Found {
        /// The readable recordings.
        var rows: [RecordingRow] = []
        /// The reason why these may be incomplete.
        var loss: StorageError?

        /// Preserves recordings although the decisions about their apps are lost, which would otherwise be treated as a
        /// withdrawal. The recordings cannot be read before a new decision.
        mutating func keepUndecided(_ known: StoredAuthorization) {
            for index in rows.indices where known.grants[rows[index].stored.key.app] == nil {
                rows[index].stored.options.onRevoke = .keep
            }
        }
    }

    /// What identifies the recordings that were found. In a damaged table rows may occur twice, which the constraints
    /// of a new one do not permit.
    private struct Identities {
        private var rows: Set<Int64> = []
        private var ids: Set<RecordingID> = []
        private var keys: Set<RecordingKey> = []

        /// Adds those of a recording; false if it shares one with a recording that was found before.
        mutating func insert(_ recording: RecordingRow) -> Bool {
            let (row, id, key) = (recording.row, recording.stored.id, recording.stored.key)
            if rows.contains(row) || ids.contains(id) || keys.contains(key) { return false }
            rows.insert(row)
            ids.insert(id)
            keys.insert(key)
            return true
        }
    }

    /// The most unreadable places that are skipped in one recording: a damaged page costs one.
    private static let mostFailures = 10_000

    private let database: Database
    /// The version of its schema.
    private let version: Int64

    /// Opens a database that was set aside, passes it to `body`, and does not modify it.
    static func reading<Result>(
        _ path: String, _ body: (borrowing RecordingSalvage) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try Database.readingSetAside(path) { database throws(StorageError) in
            let version = try database.integer("PRAGMA user_version", as: "read the schema version") ?? 0
            return try body(RecordingSalvage(database: database, version: version))
        }
    }

    /// The segments of a database that was set aside, as the values of their columns, and the name of the machine's secret.
    static func seals(in path: String) -> (segments: [[SQLValue]], machine: String?) {
        do throws(StorageError) {
            return try reading(path) { salvage throws(StorageError) in (salvage.segments(), salvage.machineName()) }
        } catch { return ([], nil) }
    }

    /// Whether a database that was set aside can be opened at all.
    static func canRead(_ path: String) -> Bool {
        Database.canReadSetAside(path)
    }

    /// The recordings of a database that was set aside.
    static func recordings(in path: String) -> Found {
        var found = Found()
        do throws(StorageError) {
            try reading(path) { salvage throws(StorageError) in
                // Older schemas had none.
                if salvage.version >= Migrations.firstWithRecordings { try salvage.read(into: &found) }
            }
        } catch {
            found.loss = StorageError("read the recordings (\(path))", .unreadable, error.message)
        }
        return found
    }

    private func read(into found: inout Found) throws(StorageError) {
        var nonsense = 0
        var known = Identities()
        try Statement(
            database, "SELECT \(RecordingRow.columns(ofSchema: version)) FROM recordings WHERE isErased = 0",
            as: "read the recordings"
        ).run { row in
            if let recording = RecordingRow(row), known.insert(recording) {
                found.rows.append(recording)
            } else {
                nonsense += 1
            }
            return true
        }
        if nonsense > 0 {
            found.loss = StorageError(
                "read the recordings (\(database.path))", .unreadable, "\(nonsense) of them are invalid or occur twice")
        }
    }

    /// The readable gaps of a recording.
    func gaps(of row: Int64) -> [ClosedRange<Int64>] {
        var gaps: [ClosedRange<Int64>] = []
        do throws(StorageError) {
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
        /// As it is stored.
        var payload: [UInt8]
        /// The class and the segment of a sealed payload.
        var protection: Int64 = 0
        var segment: Int64?
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

        fileprivate func columns(ofSchema version: Int64) -> String {
            let seal = version < Migrations.firstWithSegments ? "0, NULL" : "class, segment"
            return switch self {
            case .positions: "seq, payload, \(seal)"
            case .deadLetters: "seq, payload, \(seal), status, rejectedAt"
            }
        }
    }

    /// Reads some rows of a recording in ascending order, skipping unreadable ones.
    func rows(_ table: Table, of row: Int64, _ progress: inout Progress, atMost most: Int) -> [RetainedRow] {
        var retained: [RetainedRow] = []
        let start = progress.next
        do throws(StorageError) {
            var count = 0
            try Statement(database, sql(table), as: "salvage").run([
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
        do throws(StorageError) {
            try Statement(database, sql(table), as: "salvage").run([
                .integer(row), .integer(number), .integer(last), .integer(1),
            ])
            return true
        } catch {
            return false
        }
    }

    private func sql(_ table: Table) -> String {
        """
        SELECT \(table.columns(ofSchema: version)) FROM \(table.rawValue) WHERE recording = ? AND seq >= ? AND seq <= ?
        ORDER BY seq LIMIT ?
        """
    }

    /// The row, if its contents are valid. A sealed payload is not opened: its key may be locked, and a damaged one is found
    /// when it is read.
    private static func retained(_ table: Table, _ row: borrowing Row) -> RetainedRow? {
        let payload = row.withBytes(1) { Array($0) }
        if row.isNull(3) {
            do throws(PayloadError) {
                switch table {
                case .positions: _ = try row.withBytes(1, PositionPayload.decode)
                case .deadLetters: _ = try row.withBytes(1, DeadLetterPayload.decode)
                }
            } catch {
                return nil
            }
        }
        var retained = RetainedRow(
            number: row.integer(0), payload: payload, protection: row.integer(2), segment: row.optionalInteger(3))
        if table == .deadLetters { (retained.status, retained.rejectedAt) = (row.integer(4), row.integer(5)) }
        return retained
    }

    /// The readable segments, each once, as the values of their columns.
    func segments() -> [[SQLValue]] {
        guard version >= Migrations.firstWithSegments else { return [] }
        var segments: [[SQLValue]] = []
        var known: Set<Int64> = []
        do throws(StorageError) {
            try Statement(
                database,
                "SELECT id, recording, isDeadLetter, class, began, first, last, keyFile, wrapped FROM segments",
                as: "salvage"
            ).run { row in
                guard known.insert(row.integer(0)).inserted else { return true }
                let integers = (0...6).map { SQLValue.integer(row.integer($0)) }
                let keyFile = SQLValue.blob(row.withBytes(7) { Array($0) })
                segments.append(
                    integers[..<4] + [keyFile] + integers[4...] + [.blob(row.withBytes(8) { Array($0) })])
                return true
            }
        } catch {
            // The rows of segments that are missing cannot be read, and are reported as such.
            return segments
        }
        return segments
    }

    /// The name of the machine's secret with which rows were sealed; nil if none was.
    func machineName() -> String? {
        var name: String?
        do throws(StorageError) {
            try Statement(database, "SELECT value FROM meta WHERE name = 'machine'", as: "salvage").first {
                name = $0.optionalText(0)
            }
        } catch { return nil }
        return name
    }
}
