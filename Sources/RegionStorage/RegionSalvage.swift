import Storage

/// Reads what can be read of a file that was set aside, and does not modify it.
struct RegionSalvage: ~Copyable {
    /// The unreadable places that are skipped at most: a damaged page costs one.
    private static let mostFailures = 10_000

    private let database: Database

    /// A region's row.
    struct RegionRow {
        var number: Int64
        var list: Int64
        var identifier: String
        var state: Int64
        var since: Int64?
        var epoch: Int64
        var payload: [UInt8]
    }

    /// Opens a file that was set aside for `body`.
    static func reading<Result>(
        _ path: String, sealedBy files: SealedFileSystem?,
        _ body: (borrowing RegionSalvage) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try Database.readingSetAside(path, sealedBy: files) { database throws(StorageError) in
            try body(RegionSalvage(database: database))
        }
    }

    /// Whether a file that was set aside can be opened at all.
    static func canRead(_ path: String, sealedBy files: SealedFileSystem?) -> Bool {
        Database.canReadSetAside(path, sealedBy: files)
    }

    /// The monitors and lists that can be read. The next number is far beyond any that was used if that is not known.
    func table() -> MonitorTable {
        var table = MonitorTable()
        var greatest: Int64 = 0
        forEachRow("SELECT \(MonitorRow.columns) FROM monitors", "read the monitors") { row in
            guard let monitor = MonitorRow(row), table[monitor.key] == nil else { return }
            table.set(monitor)
            table.set(ListRow(id: monitor.list))
            greatest = max(greatest, monitor.id, monitor.list)
        }
        forEachRow("SELECT \(ListRow.columns) FROM lists", "read the lists") { row in
            let list = ListRow(row)
            greatest = max(greatest, list.id, list.last)
            if table.lists[list.id] != nil { table.set(list) }
        }
        var next: Int64?
        forEachRow("SELECT value FROM meta WHERE name = 'next'", "read the next number") { next = $0.integer(0) }
        table.next = max(next ?? 0, greatest + 1)
        if next == nil { table.next += 1 << 32 }
        return table
    }

    /// The events of a monitor that can be read, from the last one down to the first that cannot, in order.
    func events(of monitor: MonitorRow) -> [StoredRegionEvent] {
        var events: [StoredRegionEvent] = []
        forEachRow(
            """
            SELECT \(RegionSchema.eventColumns) FROM events
            WHERE monitor = \(monitor.id) AND seq > \(monitor.floor) AND seq <= \(monitor.last) ORDER BY seq DESC
            """, "read events"
        ) { row in
            guard let event = StoredRegionEvent(row, of: monitor.id),
                event.sequence == monitor.last - Int64(events.count)
            else { return }
            events.append(event)
        }
        return events.reversed()
    }

    /// The progress of reading the regions.
    struct Progress {
        var next: Int64
        let last: Int64
        private(set) var failures = 0

        init(_ next: Int64, _ last: Int64) { (self.next, self.last) = (next, last) }

        var isDone: Bool { next > last || failures >= RegionSalvage.mostFailures }

        fileprivate mutating func fail() { failures += 1 }
    }

    /// Reads some regions in the order of their numbers, and skips those that cannot be read.
    func regions(_ progress: inout Progress, atMost most: Int) -> [RegionRow] {
        var rows: [RegionRow] = []
        let start = progress.next
        do throws(StorageError) {
            var count = 0
            try Statement(database, Self.sql, as: "salvage")
                .run([.integer(start), .integer(progress.last), .integer(Int64(most))]) { row in
                    let number = row.integer(0)
                    // In a damaged table rows may be out of order.
                    guard number >= progress.next, number <= progress.last else { return true }
                    if let readable = Self.readable(row) { rows.append(readable) }
                    progress.next = number + 1
                    count += 1
                    return true
                }
            if count < most { progress.next = progress.last + 1 }
        } catch {
            progress.fail()
            if progress.next == start { progress.next = firstReadable(after: start, upTo: progress.last) }
        }
        return rows
    }

    /// The first readable number after an unreadable one, `last` + 1 if there is none: found with doubling strides, then by
    /// bisection.
    private func firstReadable(after failed: Int64, upTo last: Int64) -> Int64 {
        var low = failed
        var stride: Int64 = 1
        while low < last {
            let probe = min(low + stride, last)
            if canRead(from: probe, upTo: last) {
                var high = probe
                while high - low > 1 {
                    let middle = low + (high - low) / 2
                    if canRead(from: middle, upTo: last) { high = middle } else { low = middle }
                }
                return high
            }
            low = probe
            // Limited to what a few pages contain, because readable rows may follow.
            stride = min(stride * 2, 1_024)
        }
        return last + 1
    }

    private func canRead(from number: Int64, upTo last: Int64) -> Bool {
        do throws(StorageError) {
            try Statement(database, Self.sql, as: "salvage").run([.integer(number), .integer(last), .integer(1)])
            return true
        } catch {
            return false
        }
    }

    private static let sql = """
        SELECT number, list, identifier, state, since, epoch, payload FROM regions
        WHERE number >= ? AND number <= ? ORDER BY number LIMIT ?
        """

    private static func readable(_ row: borrowing Row) -> RegionRow? {
        guard StateCode.state(row.integer(3)) != nil else { return nil }
        do throws(PayloadError) { _ = try row.withBytes(6, RegionPayload.decode) } catch { return nil }
        return RegionRow(
            number: row.integer(0), list: row.integer(1), identifier: row.text(2), state: row.integer(3),
            since: row.optionalInteger(4), epoch: row.integer(5), payload: row.withBytes(6) { Array($0) })
    }

    /// Passes the rows that can be read.
    private func forEachRow(_ sql: String, _ operation: String, _ body: (borrowing Row) -> Void) {
        do throws(StorageError) {
            try Statement(database, sql, as: operation).run { row in
                body(row)
                return true
            }
        } catch {
            // What was read until here is all that remains.
            return
        }
    }
}
