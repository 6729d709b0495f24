import CSQLite

/// A value that can be bound to a statement.
package enum SQLValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The text, or NULL.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    /// The number, or NULL.
    package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
    /// The number, or NULL.
    package init(_ real: Double?) { self = real.map { .real($0) } ?? .null }
}

/// A compiled statement, finalized once by its last owner; compiled once and run often.
package struct Statement: ~Copyable {
    private let handle: OpaquePointer
    /// The name of the operation, for errors.
    private let operation: String
    private let path: String

    /// Compiles one statement. sqlite3_prepare_v3.
    package init(_ database: borrowing Database, _ sql: String, as operation: String) throws(StorageError) {
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard code == SQLITE_OK, let compiled else { throw database.error(operation, code) }
        self.handle = compiled
        self.operation = operation
        self.path = database.path
    }

    /// Runs the statement with these values and passes each row to `body` until it returns false.
    package func run(
        _ values: [SQLValue] = [], row body: (borrowing Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (offset, value) in values.enumerated() { try bind(value, at: Int32(offset + 1)) }
        while true {
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw error(code) }
            if try !body(Row(handle: handle)) { return }
        }
    }

    /// Runs the statement with these values to its end and ignores its rows.
    package func run(_ values: [SQLValue] = []) throws(StorageError) {
        try run(values) { _ in true }
    }

    /// Runs the statement with these values and passes its first row, if any, to `body`.
    package func first(_ values: [SQLValue] = [], _ body: (borrowing Row) -> Void) throws(StorageError) {
        try run(values) { row in
            body(row)
            return false
        }
    }

    /// Runs the statement to its end with these values and, in place of one of them, a text that SQLite reads where it is, for very
    /// frequent operations.
    /// - Parameter index: The number of the parameter with the text, from 1 on.
    package func run(_ values: [SQLValue], _ text: Span<UInt8>, at index: Int32) throws(StorageError) {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (offset, value) in values.enumerated() where offset + 1 != index { try bind(value, at: Int32(offset + 1)) }
        let code = text.withUnsafeBytes { text in
            // Without a destructor SQLite reads the text in place (SQLITE_STATIC): it is valid until the statement has ended, and
            // the binding is removed afterwards. An empty text may have no address, which SQLite would treat as NULL.
            let start = text.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }
            let code =
                start == nil
                ? waymark_bind_text(handle, index, "", 0)
                : sqlite3_bind_text64(handle, index, start, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
            return code == SQLITE_OK ? sqlite3_step(handle) : code
        }
        if code != SQLITE_DONE { throw error(code) }
    }

    /// Runs the statement to its end with two numbers, some bytes and two further numbers, without a copy: for very frequent
    /// operations.
    package func run(_ first: Int64, _ second: Int64, _ bytes: RawSpan, _ fourth: Int64, _ fifth: Int64)
        throws(StorageError)
    {
        var code = sqlite3_bind_int64(handle, 1, first)
        if code == SQLITE_OK { code = sqlite3_bind_int64(handle, 2, second) }
        if code == SQLITE_OK { code = sqlite3_bind_int64(handle, 4, fourth) }
        if code == SQLITE_OK { code = sqlite3_bind_int64(handle, 5, fifth) }
        if code != SQLITE_OK { throw error(code) }
        code = bytes.withUnsafeBytes { bytes in
            // Without a destructor SQLite reads the bytes in place (SQLITE_STATIC): they are valid until the statement
            // has ended, and every later run binds other values first.
            let code = sqlite3_bind_blob64(handle, 3, bytes.baseAddress, UInt64(bytes.count), nil)
            return code == SQLITE_OK ? sqlite3_step(handle) : code
        }
        if code != SQLITE_DONE {
            let failure = error(code)
            sqlite3_reset(handle)
            throw failure
        }
        sqlite3_reset(handle)
    }

    private func bind(_ value: SQLValue, at index: Int32) throws(StorageError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
            case .real(let real): sqlite3_bind_double(handle, index, real)
            case .text(let text): Self.bind(text, to: handle, at: index)
            case .blob(let bytes):
                bytes.withUnsafeBytes { waymark_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
            }
        if code != SQLITE_OK { throw error(code) }
    }

    private static func bind(_ text: String, to handle: OpaquePointer, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                // An empty buffer may have no address, which SQLite would treat as NULL.
                guard let start = characters.baseAddress else { return waymark_bind_text(handle, index, "", 0) }
                return waymark_bind_text(handle, index, start, Int32(characters.count))
            }
        }
    }

    private func error(_ code: Int32) -> StorageError {
        let message = Database.message(of: sqlite3_db_handle(handle), code: code)
        return StorageError("\(operation) (\(path))", .sqlite(code), message)
    }

    deinit {
        sqlite3_finalize(handle)
    }
}

/// The current row of a statement, valid within the closure that receives it.
package struct Row: ~Copyable {
    fileprivate let handle: OpaquePointer

    /// Whether the column is NULL.
    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// All columns, each with the value that is stored.
    package var values: [SQLValue] {
        (0..<sqlite3_column_count(handle)).map { column in
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER: .integer(integer(column))
            case SQLITE_FLOAT: .real(real(column))
            case SQLITE_TEXT: .text(text(column))
            case SQLITE_BLOB: .blob(withBytes(column) { Array($0) })
            default: .null
            }
        }
    }

    /// The column as a number; 0 if it is none.
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The number in this column.
    package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The column as text, empty for NULL; invalid UTF-8 is replaced.
    package func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The column as text; nil for NULL.
    package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// The column as a number; nil for NULL.
    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    /// The column as a number; nil for NULL.
    package func optionalReal(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(handle, column)
    }

    /// Passes the column's bytes to `body`, none for NULL.
    package func withBytes<Result, Failure: Error>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Valid until the next step of the statement (sqlite.org/c3ref/column_blob.html), which cannot happen within
        // the closure.
        let start = sqlite3_column_blob(handle, column)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
