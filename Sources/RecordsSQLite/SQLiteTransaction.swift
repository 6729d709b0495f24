import Journal
import Location
import Records

/// A transaction of `SQLiteEngine`, valid within the closure that receives it.
///
/// Zones, subscriptions and pushes are stored without their container, which is that of their database.
public struct SQLiteTransaction: RecordTransaction {
    let connection: RecordConnection

    init(_ connection: RecordConnection) { self.connection = connection }

    /// Runs a statement of the transaction itself.
    func run(_ statement: RecordStatement) throws(EngineFailure) {
        try perform { (connection) throws(JournalError) in try connection.run(statement) }
    }

    /// Runs statements, and stores their error so that the transaction is not committed.
    func perform<Value>(
        _ body: (RecordConnection) throws(JournalError) -> Value
    ) throws(EngineFailure) -> Value {
        do throws(JournalError) {
            return try body(connection)
        } catch {
            if connection.failure == nil { connection.failure = error }
            throw EngineFailure(error)
        }
    }

    /// Does nothing: one transaction writes at a time, and holds SQLite's lock of the file from its beginning.
    public func lock(_ lock: RecordLock) throws(EngineFailure) {}
}

extension RecordConnection {
    /// The number of a database; nil if nothing refers to it yet.
    func number(of database: DatabaseID) throws(JournalError) -> Int64? {
        try first(.findDatabase, database.columns) { $0.integer(0) }
    }

    /// The number of a zone; nil if it does not exist.
    func number(of zone: ZoneID) throws(JournalError) -> Int64? {
        try first(.findZone, zone.columns) { $0.integer(0) }
    }

    /// The number of a database to which a row is to refer, whether or not its own row was written.
    func numberToWrite(of database: DatabaseID) throws(JournalError) -> SQLValue {
        if let number = try number(of: database) { return .integer(number) }
        return try SQLValue(first(.addDatabase, database.columns) { $0.integer(0) })
    }

    /// The number of a zone to which a row is to refer, whether or not its own row was written.
    func numberToWrite(of zone: ZoneID) throws(JournalError) -> SQLValue {
        if let number = try number(of: zone) { return .integer(number) }
        return try SQLValue(first(.addZone, zone.columns) { $0.integer(0) })
    }
}
