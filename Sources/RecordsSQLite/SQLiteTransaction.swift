import RecordTables
import Records
import Storage

/// A transaction of `SQLiteEngine`, valid within the closure that receives it.
public struct SQLiteTransaction: TableTransaction {
    let connection: RecordConnection

    init(_ connection: RecordConnection) { self.connection = connection }

    /// The subjects of subscriptions that the connection has parsed before.
    public var parsedSubjects: ParsedSubjects { connection.parsedSubjects }

    /// Runs a statement of the transaction itself.
    func run(_ statement: RecordStatement) throws(EngineFailure) {
        try perform { () throws(StorageError) in try connection.run(statement) }
    }

    /// Runs a statement and passes each row to the body until it returns false, and stores an error so that the transaction
    /// is not committed. Returns how many rows the statement has changed.
    @discardableResult
    public func run(
        _ statement: TableStatement, _ values: [StoredValue], row body: (StoredRow) throws(TableError) -> Bool
    ) throws(EngineFailure) -> Int {
        try perform { () throws(StorageError) in
            try connection.run(statement, values, row: body)
            return Int(connection.statements.database.changes)
        }
    }

    private func perform<Value>(_ body: () throws(StorageError) -> Value) throws(EngineFailure) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            if connection.failure == nil { connection.failure = error }
            throw EngineFailure(error)
        }
    }

    /// Stores bytes of an asset after those that it has, durably.
    public func write(_ bytes: [UInt8], of row: AssetRow) throws(EngineFailure) {
        try perform { () throws(StorageError) in try connection.assets.write(bytes, of: row) }
    }

    /// Bytes of an asset from an offset below its size on: one at least, and at most so many.
    public func read(_ row: AssetRow, from offset: Int64, most: Int) throws(EngineFailure) -> [UInt8] {
        try perform { () throws(StorageError) in try connection.assets.read(row, from: offset, most: most) }
    }

    /// Removes the bytes of discarded assets, and returns how many assets. If the transaction is not committed, bytes of
    /// assets are removed all the same that nothing has referred to before.
    public func removeDiscarded(limit: Int) throws(EngineFailure) -> Int {
        let count = try removeDiscarded(limit: limit) { (row) throws(EngineFailure) in
            try perform { () throws(StorageError) in try connection.assets.remove(row) }
        }
        if count > 0 { try perform { () throws(StorageError) in try connection.assets.synchronize() } }
        return count
    }

    /// Does nothing: one transaction writes at a time, and holds SQLite's lock of the file from its beginning.
    public func lock(_ lock: RecordLock) throws(EngineFailure) {}
}
