import CPostgreSQL
import RecordTables

/// What a statement has returned, freed once by its last owner.
struct QueryResult: ~Copyable {
    private let handle: OpaquePointer

    /// Becomes the owner of a result.
    init(adopting handle: OpaquePointer) { self.handle = handle }

    /// PQresultStatus.
    var status: ExecStatusType { PQresultStatus(handle) }
    /// Whether the statement has succeeded.
    var isSuccess: Bool { status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK }
    /// How many rows the result has. PQntuples.
    var rows: Int { Int(PQntuples(handle)) }
    /// How many rows the statement has changed. PQcmdTuples.
    var changes: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }
    /// The command that was executed, for example COMMIT. PQcmdStatus.
    var command: String { String(cString: PQcmdStatus(handle)) }
    /// The code of the error, postgresql.org/docs/15/errcodes-appendix.html; empty without one.
    var code: String { field("C") }
    /// The error without the values that PostgreSQL adds in its details.
    var message: String { field("M") }

    private func field(_ name: Unicode.Scalar) -> String {
        PQresultErrorField(handle, Int32(name.value)).map { String(cString: $0) } ?? ""
    }

    /// A row of a result in the binary format.
    func row(_ row: Int) -> StoredRow {
        StoredRow((0..<PQnfields(handle)).map { value(Int32(row), $0) })
    }

    /// All rows of a result in the binary format.
    var allRows: [StoredRow] { (0..<rows).map { row($0) } }

    /// The first column of the first row of a result in the text format; empty without one.
    var text: String { rows > 0 && PQnfields(handle) > 0 ? String(cString: PQgetvalue(handle, 0, 0)) : "" }

    /// The bytes of all columns of a row.
    func size(_ row: Int) -> Int {
        (0..<PQnfields(handle)).reduce(0) { $0 + Int(PQgetlength(handle, Int32(row), $1)) }
    }

    func value(_ row: Int32, _ column: Int32) -> StoredValue {
        guard PQgetisnull(handle, row, column) == 0, let start = PQgetvalue(handle, row, column) else { return .null }
        // Valid as long as the result, which this value owns.
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, column)))
        switch PQftype(handle, column) {
        case ResultType.integer where bytes.count == 8:
            return .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case ResultType.boolean where bytes.count == 1: return .integer(Int64(bytes[0]))
        case ResultType.bytes: return .blob(Array(bytes))
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    deinit { PQclear(handle) }
}

/// The numbers of the types that results have besides texts.
private enum ResultType {
    static let boolean: Oid = 16
    static let bytes = Oid(ColumnType.bytes.rawValue)
    static let integer = Oid(ColumnType.integer.rawValue)
}
