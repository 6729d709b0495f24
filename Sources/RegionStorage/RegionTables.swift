import Location
import Regions
import Storage

/// The rows of an open file: the SQL for regions. For the storage thread; no method waits or retries.
final class RegionTables {
    let database: Database
    let statements: RegionStatements
    /// All monitors and lists, with the changes of a running transaction.
    var table = MonitorTable()
    /// What is being collected, which is lost when the file is closed.
    var stagings: [Staging.Key: Staging] = [:]

    /// Opens the file of this directory.
    init(in directory: StateDirectory, sealedBy files: SealedFileSystem? = nil) throws(StorageError) {
        let database = try Database.open(in: directory, sealedBy: files)
        do throws(StorageError) {
            statements = try RegionStatements(database)
            try Self.load(&table, from: database)
        } catch {
            if error.isMissingTable { throw .damage(error.operation, error.message) }
            throw error
        }
        self.database = database
    }

    /// How soon a change has to be durable.
    enum Durability {
        /// When the transaction ends.
        case now
        /// With the next transaction that is durable when it ends: for steps that can be repeated.
        case later
    }

    /// Runs `body`, which writes through this object, in one transaction: completely undone, in memory as well, when
    /// this throws.
    func change<Result>(
        as operation: String, _ durability: Durability = .now, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let before = table
        do throws(StorageError) {
            // In a log, NORMAL leaves the order of transactions as it is: a later one is never durable without this one.
            if durability == .later { try database.execute("PRAGMA synchronous = NORMAL", as: operation) }
            let result = try database.transaction(as: operation) { () throws(StorageError) in
                let result = try body()
                try writeTable(next: before.next)
                return result
            }
            table.clearChanges()
            if durability == .later { try database.execute("PRAGMA synchronous = FULL", as: operation) }
            return result
        } catch {
            table = before
            if durability == .later { try database.execute("PRAGMA synchronous = FULL", as: operation) }
            throw error
        }
    }

    private func writeTable(next: Int64) throws(StorageError) {
        for id in table.changedMonitors {
            if let monitor = table.monitors[id] {
                try statements.writeMonitor.run(monitor.values)
            } else {
                try statements.deleteMonitor.run([.integer(id)])
            }
        }
        for id in table.changedLists {
            if let list = table.lists[id] {
                try statements.writeList.run(list.values)
            } else {
                try statements.deleteList.run([.integer(id)])
            }
        }
        if table.next != next { try statements.writeNext.run([.integer(table.next)]) }
    }

    private static func load(_ table: inout MonitorTable, from database: borrowing Database) throws(StorageError) {
        let operation = "read the monitors (\(database.path))"
        var nonsense: Int64?
        try Statement(database, "SELECT \(MonitorRow.columns) FROM monitors", as: operation).run { row in
            if let monitor = MonitorRow(row) { table.set(monitor) } else { nonsense = row.integer(0) }
            return true
        }
        try Statement(database, "SELECT \(ListRow.columns) FROM lists", as: operation).run { row in
            table.set(ListRow(row))
            return true
        }
        // The intended value cannot be guessed: the file is set aside, and what can be read of it is restored.
        if let nonsense { throw .damage(operation, "monitor \(nonsense) makes no sense") }
        for monitor in table.monitors.values where table.lists[monitor.list] == nil {
            throw .damage(operation, "monitor \(monitor.id) has no list")
        }
        table.next = try database.integer("SELECT value FROM meta WHERE name = 'next'", as: operation) ?? 1
        table.clearChanges()
    }

    /// Stores a region in a list, within `change`: without its name and its box.
    func insert(_ region: NewRegion, number: Int64, into list: ListRow) throws(StorageError) {
        try statements.insertRegion.run([
            .integer(number), .integer(list.id), .text(region.identifier), .integer(StateCode.unknown), .null,
            .integer(list.epoch),
            .blob(RegionPayload.bytes(region.region, dwell: region.dwell, loitering: region.loitering)),
        ])
    }

    /// Stores the box by which a region is found. R*Tree rounds it outwards to numbers of 32 bits.
    func insertBox(_ bounds: Bounds, of number: Int64) throws(StorageError) {
        try statements.insertBox.run([
            .integer(number), .real(bounds.low.x), .real(bounds.high.x), .real(bounds.low.y), .real(bounds.high.y),
            .real(bounds.low.z), .real(bounds.high.z),
        ])
    }

    /// The number of the region with this name; nil for none.
    func number(of identifier: String, in list: Int64) throws(StorageError) -> Int64? {
        var number: Int64?
        try statements.findName.first([.integer(list), .text(identifier)]) { number = $0.integer(0) }
        return number
    }

    /// Removes a region with its box, but not its name.
    func delete(_ number: Int64) throws(StorageError) {
        try statements.deleteBox.run([.integer(number)])
        try statements.deleteRegion.run([.integer(number)])
    }

    /// The region of a row of `RegionStatements.columns`; nil where the row belongs to none of the lists.
    func region(
        _ row: borrowing Row, in lists: [Int64: (list: ListRow, monitor: Int64)]
    ) throws(StorageError) -> StoredRegion? {
        guard let (list, monitor) = lists[row.integer(1)] else { return nil }
        let number = row.integer(0)
        guard var state = StateCode.state(row.integer(3)) else { throw damaged(number, "its state") }
        var since = row.optionalInteger(4)
        if row.integer(5) < list.epoch { (state, since) = (.unknown(.unauthorized), list.forgottenAt) }
        let content = try content(row, column: 6, number)
        return StoredRegion(
            number: number, monitor: monitor, identifier: row.text(2), region: content.region, dwell: content.dwell,
            loitering: content.loitering, state: state, since: since.map(UTCTime.init(microseconds:)))
    }

    /// The decoded payload in this column.
    func content(_ row: borrowing Row, column: Int32, _ number: Int64) throws(StorageError) -> RegionPayload.Content {
        do throws(PayloadError) {
            return try row.withBytes(column, RegionPayload.decode)
        } catch {
            throw damaged(number, "its payload (\(error))")
        }
    }

    private func damaged(_ number: Int64, _ what: String) -> StorageError {
        .damage("read a region (\(database.path))", "region \(number) cannot be read: \(what)")
    }

    /// The lists of some monitors, with what is needed to read their regions.
    func lists(of monitors: [MonitorRow]) -> [Int64: (list: ListRow, monitor: Int64)] {
        Dictionary(uniqueKeysWithValues: monitors.map { ($0.list, (table.list($0.list), $0.id)) })
    }
}
