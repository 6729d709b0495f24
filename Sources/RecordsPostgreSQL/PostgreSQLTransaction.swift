import RecordTables
import Records

/// A transaction of `PostgreSQLEngine`, valid within the closure that receives it.
public struct PostgreSQLTransaction: TableTransaction {
    let connection: PostgreSQLConnection

    init(_ connection: PostgreSQLConnection) { self.connection = connection }

    /// The subjects of subscriptions that the connection has parsed before.
    public var parsedSubjects: ParsedSubjects { connection.parsedSubjects }

    /// Runs a statement and passes each row to the body until it returns false. Returns how many rows the statement has
    /// changed.
    @discardableResult
    public func run(
        _ statement: TableStatement, _ values: [StoredValue], row body: (StoredRow) throws(TableError) -> Bool
    ) throws(EngineFailure) -> Int {
        if statement.needsStoredRows { try storeRows() }
        if !statement.isReading { connection.noteWrite() }
        let parameters = try parameters(values, statement.rawValue)
        return try run(statement.rawValue, statement.ownSQL, parameters, row: body)
    }

    /// Sends a statement that returns no rows of interest.
    public func run(_ statement: TableStatement, _ values: [StoredValue]) throws(EngineFailure) {
        if statement.needsStoredRows { try storeRows() }
        connection.noteWrite()
        try connection.send(statement.rawValue, statement.ownSQL, try parameters(values, statement.rawValue))
    }

    /// Sends a statement that returns no rows for lists of values: as one statement where it stores rows.
    public func run(_ statement: TableStatement, each values: [[StoredValue]]) throws(EngineFailure) {
        guard values.count > 1, let types = statement.columnTypes else {
            for values in values { try run(statement, values) }
            return
        }
        if statement.needsStoredRows { try storeRows() }
        connection.noteWrite()
        let parameters: Parameters
        do throws(TableError) {
            parameters = try Parameters(rows: values, types)
        } catch {
            throw connection.fail(EngineFailure(PostgreSQLError(error, statement.rawValue)))
        }
        try connection.send(statement.rawValue + " (rows)", statement.sqlOfRows(types), parameters)
    }

    /// Has the server begin with what was sent.
    public func passOn() throws(EngineFailure) { try connection.flush() }

    /// What the transaction knows of its rows.
    public var cache: RowCache? { connection.cache }

    /// Notifies other hubs of a device after the commit.
    public func notify(_ device: AccountDevice) { connection.notices.insert(device) }

    /// Acquires a lock. What is read afterwards is as the previous holder has committed it.
    public func lock(_ lock: RecordLock) throws(EngineFailure) { try connection.acquire(lock) }

    /// The rows of these names that exist, in any order.
    public func records(_ names: [RecordName], in zone: ZoneID) throws(EngineFailure) -> [RecordRow] {
        let names = Set(names)
        let known = connection.cache.records[zone] ?? [:]
        var rows = names.compactMap { known[$0] ?? nil }
        let unknown = known.isEmpty ? names : names.filter { known[$0] == nil }
        guard !unknown.isEmpty, let number = try number(of: zone) else { return rows }
        let statement = RecordStatement.readRecords
        let parameters = Parameters(number, unknown.map(\.text))
        try run(statement.rawValue, statement.sql, parameters) { (row) throws(TableError) in
            rows.append(try RecordRow(row))
            return true
        }
        return rows
    }

    /// The records whose parents these are, in any order, and those that had them when they were deleted.
    public func children(
        of parents: [RecordName], in zone: ZoneID
    ) throws(EngineFailure) -> [(name: RecordName, isDeleted: Bool)] {
        guard !parents.isEmpty, let number = try number(of: zone) else { return [] }
        try storeRows()
        let statement = RecordStatement.readAllChildren
        var found: [(name: RecordName, isDeleted: Bool)] = []
        try run(statement.rawValue, statement.sql, Parameters(number, Set(parents).map(\.text))) {
            (row) throws(TableError) in
            found.append(try row.child())
            return true
        }
        return found
    }

    /// Passes the rows of a zone whose counters are greater than this one to the body, in the order of counters, until it
    /// returns false; of deleted records only those whose counters are greater than another one.
    public func forEachChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (RecordRow) -> Bool
    ) throws(EngineFailure) {
        try forEachRow(.readSomeChanges, in: zone, after: counter, deletedAfter: deletedAfter) {
            (row) throws(TableError) in
            let change = try RecordRow(row)
            return (change.counter, body(change))
        }
    }

    /// As `forEachChange`, with what a page of changes has of each row.
    public func forEachWrittenChange(
        in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64, _ body: (WrittenRow) -> Bool
    ) throws(EngineFailure) {
        try forEachRow(.readSomeWrittenChanges, in: zone, after: counter, deletedAfter: deletedAfter) {
            (row) throws(TableError) in
            let change = try WrittenRow(row)
            return (change.counter, body(change))
        }
    }

    /// Passes the rows of changes to the body, which returns the counter of each and whether it wants further ones.
    ///
    /// They are read in parts of about a mebibyte, because libpq has the whole result of a statement in memory.
    private func forEachRow(
        _ statement: RecordStatement, in zone: ZoneID, after counter: UInt64, deletedAfter: UInt64,
        _ body: (StoredRow) throws(TableError) -> (counter: UInt64, wantsMore: Bool)
    ) throws(EngineFailure) {
        guard let number = try number(of: zone) else { return }
        try storeRows()
        var last = counter
        var limit = Self.firstChanges
        var isMore = true
        while isMore {
            let parameters = try parameters(
                [.integer(number), .bound(last), .bound(deletedAfter), .integer(Int64(limit))], statement.rawValue)
            var count = 0
            var bytes = 0
            try connection.run(statement.rawValue, statement.sql, parameters) { (result) throws(PostgreSQLError) in
                count = result.rows
                bytes = (0..<count).reduce(0) { $0 + result.size($1) }
                isMore = count == limit
                try Self.each(result, statement.rawValue) { (row) throws(TableError) in
                    let (counter, wantsMore) = try body(row)
                    last = counter
                    if !wantsMore { isMore = false }
                    return wantsMore
                }
            }
            limit = min(max(Self.bytesOfChanges / max(bytes / max(count, 1), 1), 1), Self.mostChanges)
        }
    }

    /// Stores bytes of an asset after those that it has, in a row of their own.
    public func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure) {
        guard !bytes.isEmpty else { return }
        let statement = RecordStatement.storePart
        let values: [StoredValue] = [.integer(row.number), .integer(row.received), .blob(bytes)]
        connection.noteWrite()
        try connection.send(statement.rawValue, statement.sql, parameters(values, statement.rawValue))
    }

    /// Bytes of an asset from an offset below its size on: one at least, and at most so many.
    public func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8] {
        let statement = RecordStatement.readPart
        let values: [StoredValue] = [.integer(row.number), .integer(offset), .integer(Int64(most))]
        var bytes: [UInt8] = []
        try run(statement.rawValue, statement.sql, parameters(values, statement.rawValue)) {
            (row) throws(TableError) in
            bytes = try row.bytes(0)
            guard !bytes.isEmpty else { throw .damage(statement.rawValue, "a part of an asset is missing") }
            return false
        }
        return bytes
    }

    /// Removes discarded assets and their bytes, and returns how many assets.
    public func removeDiscarded(limit: Int) throws(EngineFailure) -> Int {
        try removeDiscarded(limit: limit) { (row) throws(EngineFailure) in
            let statement = RecordStatement.removeParts
            connection.noteWrite()
            let parameters = try parameters([.integer(row.number)], statement.rawValue)
            try connection.send(statement.rawValue, statement.sql, parameters)
        }
    }

    private static let firstChanges = 32
    private static let mostChanges = 1_024
    private static let bytesOfChanges = 1 << 20

    private func parameters(_ values: [StoredValue], _ operation: String) throws(EngineFailure) -> Parameters {
        do throws(TableError) {
            return try Parameters(values)
        } catch {
            throw connection.fail(EngineFailure(PostgreSQLError(error, operation)))
        }
    }

    @discardableResult
    private func run(
        _ name: String, _ sql: @autoclosure () -> String, _ parameters: Parameters,
        row body: (StoredRow) throws(TableError) -> Bool
    ) throws(EngineFailure) -> Int {
        try connection.run(name, sql(), parameters) { (result) throws(PostgreSQLError) in
            try Self.each(result, name, body)
            return result.changes
        }
    }

    private static func each(
        _ result: borrowing QueryResult, _ operation: String, _ body: (StoredRow) throws(TableError) -> Bool
    ) throws(PostgreSQLError) {
        for row in 0..<result.rows {
            do throws(TableError) {
                guard try body(result.row(row)) else { return }
            } catch {
                throw PostgreSQLError(error, operation)
            }
        }
    }
}

extension PostgreSQLError {
    init(_ error: TableError, _ operation: String) {
        switch error {
        case .damage(let operation, let fact):
            self.init(operation, code: "XX001", "\(fact). Restore the database from a backup")
        case .tooLarge: self.init(operation, code: "22003", "a counter is greater than 9223372036854775807")
        }
    }
}
