/// A statement that a database runs often, by what it does.
package protocol NamedStatement: RawRepresentable<String> {
    /// The SQL.
    var sql: String { get }
}

/// The statements of a connection to a database, each of which is compiled once, when it is first needed.
///
/// A value gives access to the statements of one enum. Values for further enums that use the same connection are made with `sharing`; the
/// names of all their statements have to differ.
package struct PreparedStatements<Which: NamedStatement> {
    private let cache: StatementCache

    /// The statements of a connection.
    package init(_ database: consuming Database) { cache = StatementCache(database) }

    private init(_ cache: StatementCache) { self.cache = cache }

    /// The statements of another enum over the same connection.
    package func sharing<Other: NamedStatement>(_ other: Other.Type = Other.self) -> PreparedStatements<Other> {
        PreparedStatements<Other>(cache)
    }

    /// The connection.
    package var database: Database { _read { yield cache.database } }

    /// Runs a statement and passes each row to the body until it returns false.
    package func run(
        _ which: Which, _ values: [SQLValue] = [], row body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try run(which.sql, as: which.rawValue, values, row: body)
    }

    /// Runs a statement with this SQL, which is always the same for the name.
    package func run(
        _ sql: @autoclosure () -> String, as name: String, _ values: [SQLValue],
        row body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try cache.compiled(sql(), as: name).statement.run(values, row: body)
    }

    /// Runs a statement that returns no rows of interest.
    package func run(_ which: Which, _ values: [SQLValue] = []) throws(StorageError) {
        try cache.compiled(which.sql, as: which.rawValue).statement.run(values)
    }

    /// Runs a statement that returns no rows with these values and, in place of one of them, a text that is not copied.
    package func run(
        _ which: Which, _ values: [SQLValue], _ text: Span<UInt8>, at index: Int32
    ) throws(StorageError) {
        try cache.compiled(which.sql, as: which.rawValue).statement.run(values, text, at: index)
    }

    /// What the body makes of the first row; nil without a row.
    package func first<Value>(
        _ which: Which, _ values: [SQLValue] = [], _ body: (borrowing Row) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        var value: Value?
        try run(which, values) { (row) throws(StorageError) in
            value = try body(row)
            return false
        }
        return value
    }

    /// What the body makes of each row.
    package func all<Value>(
        _ which: Which, _ values: [SQLValue] = [], _ body: (borrowing Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        var found: [Value] = []
        try run(which, values) { (row) throws(StorageError) in
            found.append(try body(row))
            return true
        }
        return found
    }
}

/// A connection and the statements that were compiled for it so far.
private final class StatementCache {
    final class Compiled {
        let statement: Statement

        init(_ statement: consuming Statement) { self.statement = statement }
    }

    let database: Database
    /// By the statements' names.
    private var compiled: [String: Compiled] = [:]
    /// The statement that was run last, which is often the next one too.
    private var last: (name: String, compiled: Compiled)?

    init(_ database: consuming Database) { self.database = database }

    func compiled(_ sql: @autoclosure () -> String, as name: String) throws(StorageError) -> Compiled {
        if let last, last.name == name { return last.compiled }
        let found: Compiled
        if let known = compiled[name] {
            found = known
        } else {
            found = Compiled(try Statement(database, sql(), as: name))
            compiled[name] = found
        }
        last = (name, found)
        return found
    }
}
