import Journal

/// The connection of an engine to its file, and the statements that it has compiled so far.
final class RecordConnection {
    /// A statement, compiled once and run often.
    private final class Compiled {
        let statement: Statement

        init(_ statement: consuming Statement) { self.statement = statement }
    }

    /// The name and the tables of the file.
    static let schema = DatabaseSchema(
        fileName: "records.sqlite", lockName: "records.lock", noun: "Waymark's records",
        applicationID: RecordStatement.applicationID, steps: RecordStatement.steps)

    let database: Database
    private var compiled: [RecordStatement: Compiled] = [:]
    /// The first error of the transaction in progress, after which it cannot be committed.
    var failure: JournalError?

    /// Opens the file of a directory, which is made if it is missing.
    init(in directory: StateDirectory, cacheKibibytes: Int) throws(JournalError) {
        database = try Database.open(in: directory, cacheKibibytes: cacheKibibytes)
    }

    /// Runs a statement and passes each row to the body until it returns false.
    func run(
        _ which: RecordStatement, _ values: [SQLValue] = [], row body: (borrowing Row) throws(JournalError) -> Bool
    ) throws(JournalError) {
        try statement(which).statement.run(values, row: body)
    }

    /// Runs a statement that returns no rows of interest.
    func run(_ which: RecordStatement, _ values: [SQLValue] = []) throws(JournalError) {
        try statement(which).statement.run(values)
    }

    /// What the body makes of the first row; nil without a row.
    func first<Value>(
        _ which: RecordStatement, _ values: [SQLValue], _ body: (borrowing Row) throws(JournalError) -> Value
    ) throws(JournalError) -> Value? {
        var value: Value?
        try run(which, values) { (row) throws(JournalError) in
            value = try body(row)
            return false
        }
        return value
    }

    /// What the body makes of each row.
    func all<Value>(
        _ which: RecordStatement, _ values: [SQLValue], _ body: (borrowing Row) throws(JournalError) -> Value
    ) throws(JournalError) -> [Value] {
        var found: [Value] = []
        try run(which, values) { (row) throws(JournalError) in
            found.append(try body(row))
            return true
        }
        return found
    }

    private func statement(_ which: RecordStatement) throws(JournalError) -> Compiled {
        if let compiled = compiled[which] { return compiled }
        let new = Compiled(try Statement(database, which.sql, as: which.rawValue))
        compiled[which] = new
        return new
    }
}
