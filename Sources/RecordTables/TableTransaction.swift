import Location
import Records

/// A transaction of an engine that stores its rows in tables: what all of these engines have in common. An engine runs the
/// statements, and acquires the locks.
///
/// Zones, subscriptions and pushes are stored without their container, which is that of their database.
public protocol TableTransaction: RecordTransaction {
    /// Runs a statement and passes each row to the body until it returns false. After an error the transaction cannot be
    /// committed. Returns how many rows the statement has changed.
    @discardableResult
    func run(
        _ statement: TableStatement, _ values: [StoredValue], row body: (StoredRow) throws(TableError) -> Bool
    ) throws(EngineFailure) -> Int

    /// Runs a statement that returns no rows of interest. An engine may find its error later, but before the commit.
    func run(_ statement: TableStatement, _ values: [StoredValue]) throws(EngineFailure)

    /// Runs a statement that returns no rows once for each list of values. No two of them have the same key. An engine may find
    /// an error later, but before the commit.
    func run(_ statement: TableStatement, each values: [[StoredValue]]) throws(EngineFailure)

    /// Has the database begin with the statements whose errors it may find later.
    func passOn() throws(EngineFailure)

    /// The rows that the transaction knows without reading them, and those that it has not stored yet; nil if the engine reads
    /// and stores each row at once.
    var cache: RowCache? { get }

    /// The subjects of subscriptions that the engine has parsed before.
    var parsedSubjects: ParsedSubjects { get }

    /// Is called for a device to which the transaction has stored a push, or which it has removed: once it is committed,
    /// whoever else uses the tables may have to know.
    func notify(_ device: AccountDevice)
}

extension TableTransaction {
    /// Nobody else uses the tables.
    public func notify(_ device: AccountDevice) {}

    /// Runs a statement once for each list of values, one after the other.
    public func run(_ statement: TableStatement, each values: [[StoredValue]]) throws(EngineFailure) {
        for values in values { try run(statement, values) }
    }

    /// Runs a statement that returns no rows of interest, and waits for it.
    public func run(_ statement: TableStatement, _ values: [StoredValue]) throws(EngineFailure) {
        try run(statement, values) { (_) throws(TableError) in true }
    }

    /// All statements were waited for.
    public func passOn() throws(EngineFailure) {}

    /// No rows are known without reading them.
    public var cache: RowCache? { nil }

    /// What the body makes of the first row; nil without a row.
    func first<Value>(
        _ statement: TableStatement, _ values: [StoredValue], _ body: (StoredRow) throws(TableError) -> Value
    ) throws(EngineFailure) -> Value? {
        var value: Value?
        try run(statement, values) { (row) throws(TableError) in
            value = try body(row)
            return false
        }
        return value
    }

    /// What the body makes of each row.
    func all<Value>(
        _ statement: TableStatement, _ values: [StoredValue], _ body: (StoredRow) throws(TableError) -> Value
    ) throws(EngineFailure) -> [Value] {
        var found: [Value] = []
        try run(statement, values) { (row) throws(TableError) in
            found.append(try body(row))
            return true
        }
        return found
    }
}
