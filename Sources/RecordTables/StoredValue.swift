/// A value of a column, or of a parameter of a statement.
public enum StoredValue: Equatable, Sendable {
    /// No value.
    case null
    /// A number.
    case integer(Int64)
    /// A counter to store: databases have no integers without a sign, and no counter becomes greater than 2⁶³ - 1.
    case counter(UInt64)
    /// A text.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// The text, or NULL.
    public init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    /// The number, or NULL.
    public init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }

    /// A counter to compare with: no stored one is greater than the largest.
    package static func bound(_ counter: UInt64) -> StoredValue { .integer(Int64(clamping: counter)) }

    /// A counter as a number.
    public static func number(of counter: UInt64) throws(TableError) -> Int64 {
        guard let integer = Int64(exactly: counter) else { throw .tooLarge }
        return integer
    }
}

/// A row that a statement has returned.
public struct StoredRow: Equatable {
    private let values: [StoredValue]

    /// A row of these columns.
    public init(_ values: [StoredValue]) { self.values = values }

    /// The row without its first columns.
    func dropping(_ columns: Int) -> StoredRow { StoredRow(Array(values.dropFirst(columns))) }

    func isNull(_ column: Int) -> Bool { values[column] == .null }

    func integer(_ column: Int) throws(TableError) -> Int64 {
        guard case .integer(let integer) = values[column] else {
            throw .damage("read a number", "a column has another value")
        }
        return integer
    }

    func text(_ column: Int) throws(TableError) -> String {
        guard case .text(let text) = values[column] else {
            throw .damage("read a text", "a column has another value")
        }
        return text
    }

    /// The bytes of a column.
    package func bytes(_ column: Int) throws(TableError) -> [UInt8] {
        guard case .blob(let bytes) = values[column] else {
            throw .damage("read bytes", "a column has another value")
        }
        return bytes
    }
}

/// Why a value cannot be stored, or a row cannot be read.
public enum TableError: Error, Equatable, Sendable {
    /// A row has something that no engine writes: the operation, and what it has found.
    case damage(String, String)
    /// A counter is greater than a database can store.
    case tooLarge
}
