import RecordTables
import Storage

/// The connection of an engine to its file, and the statements that it has compiled so far.
final class RecordConnection {
    /// The name and the tables of the file.
    static let schema = DatabaseSchema(
        fileName: "records.sqlite", lockName: "records.lock", noun: "Waymark's records",
        applicationID: RecordStatement.applicationID, steps: RecordStatement.steps)

    let statements: PreparedStatements<RecordStatement>
    /// The bytes of assets.
    let assets: AssetFolder
    /// The first error of the transaction in progress, after which it cannot be committed.
    var failure: StorageError?
    /// The subjects of subscriptions that were parsed before.
    let parsedSubjects = ParsedSubjects()

    /// Opens the file of a directory, which is made if it is missing.
    init(in directory: StateDirectory, cacheKibibytes: Int) throws(StorageError) {
        assets = AssetFolder(in: directory.path)
        statements = PreparedStatements(try Database.open(in: directory, cacheKibibytes: cacheKibibytes))
    }

    /// Runs a statement and passes each row to the body until it returns false.
    func run(
        _ which: TableStatement, _ values: [StoredValue], row body: (StoredRow) throws(TableError) -> Bool
    ) throws(StorageError) {
        var bound: [SQLValue] = []
        bound.reserveCapacity(values.count)
        for value in values { bound.append(try SQLValue(value, for: which.rawValue)) }
        try statements.run(which.ownSQL, as: which.rawValue, bound) { (row) throws(StorageError) in
            do throws(TableError) {
                return try body(StoredRow(row))
            } catch {
                throw StorageError(error, which.rawValue)
            }
        }
    }

    /// Runs a statement of the transaction itself.
    func run(_ which: RecordStatement) throws(StorageError) {
        try statements.run(which)
    }
}

extension StorageError {
    /// Whether the file can be used on. An error of the operating system is that of an asset's file, such as one without room on
    /// the disk: it concerns the transaction, and no other one.
    var leavesEngineOpen: Bool { if case .system = reason { true } else { leavesConnectionUsable } }
}

extension SQLValue {
    init(_ value: StoredValue, for operation: String) throws(StorageError) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .text(let text): self = .text(text)
        case .blob(let bytes): self = .blob(bytes)
        case .counter(let counter):
            do throws(TableError) {
                self = .integer(try StoredValue.number(of: counter))
            } catch {
                throw StorageError(error, operation)
            }
        }
    }
}

extension StoredRow {
    init(_ row: borrowing Row) {
        self.init(
            row.values.map { value in
                switch value {
                case .null, .real: .null
                case .integer(let integer): .integer(integer)
                case .text(let text): .text(text)
                case .blob(let bytes): .blob(bytes)
                }
            })
    }
}

extension StorageError {
    init(_ error: TableError, _ operation: String) {
        self =
            switch error {
            case .damage(let operation, let fact): .damage(operation, fact)
            case .tooLarge: StorageError(operation, .tooLarge, "a counter is greater than 9223372036854775807")
            }
    }
}
