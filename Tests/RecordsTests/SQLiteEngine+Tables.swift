import Records
import Storage

@testable import RecordTables
@testable import RecordsSQLite

extension SQLiteEngine {
    /// All rows of the file, as the engine in memory would have them.
    func tables() throws -> MemoryEngine.Tables {
        let reopened = connection == nil
        if reopened { try read { (_) throws(EngineFailure) in () } }
        guard let connection else { throw EngineFailure("read all tables", reason: "the file is not open") }
        return try StoredTables.read { sql, body in try connection.each(sql, body) }
    }
}

extension RecordConnection {
    /// Runs a query of a test.
    func each(_ sql: String, _ body: (StoredRow) throws(TableError) -> Void) throws(StorageError) {
        let statement = try Statement(statements.database, sql, as: "read all tables")
        try statement.run { (row) throws(StorageError) in
            do throws(TableError) {
                try body(StoredRow(row))
            } catch {
                throw StorageError(error, "read all tables")
            }
            return true
        }
    }
}
