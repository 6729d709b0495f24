import RecordTables

/// The type of a column, with its number from the file pg_type.dat of PostgreSQL.
enum ColumnType: Int32 {
    case bytes = 17
    case integer = 20
    case text = 25

    /// The name of a list of such values.
    var list: String {
        switch self {
        case .bytes: "bytea[]"
        case .integer: "bigint[]"
        case .text: "text[]"
        }
    }
}

/// A list of values: an array of one dimension, whose format is in the file arrayfuncs.c of PostgreSQL.
private struct ValueList {
    private(set) var bytes: [UInt8] = []

    init(_ type: ColumnType, count: Int) {
        // One dimension, possibly with NULL; so many elements, from the index 1 on.
        for number in [1, 1, type.rawValue, Int32(count), 1] { appendNumber(number) }
    }

    mutating func append(_ nothing: Never?) { appendNumber(-1) }

    mutating func append(_ integer: Int64) {
        appendNumber(8)
        withUnsafeBytes(of: integer.bigEndian) { bytes += $0 }
    }

    mutating func append(_ value: some Collection<UInt8>) {
        appendNumber(Int32(value.count))
        bytes += value
    }

    private mutating func appendNumber(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
}

/// The values of a statement's parameters in the binary format, in one piece of memory.
struct Parameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []

    init(_ values: [StoredValue]) throws(TableError) {
        for value in values {
            switch value {
            case .null: add(nil)
            case .integer(let integer): add(integer)
            case .counter(let counter): add(try StoredValue.number(of: counter))
            case .text(let text): add(Array(text.utf8))
            case .blob(let blob): add(blob)
            }
        }
    }

    /// No parameters.
    init() {}

    /// Bytes.
    init(bytes: [UInt8]) { add(bytes) }

    /// A number.
    init(integer: Int64) { add(integer) }

    /// A list of numbers.
    init(integers: [Int64]) {
        var list = ValueList(.integer, count: integers.count)
        for integer in integers { list.append(integer) }
        add(list.bytes)
    }

    /// A number and a list of texts.
    init(_ number: Int64, _ texts: [String]) {
        add(number)
        add(texts)
    }

    /// A list of texts.
    init(texts: [String]) { add(texts) }

    /// Values, and a list of texts after them.
    init(_ values: [StoredValue], texts: [String]) throws(TableError) {
        try self.init(values)
        add(texts)
    }

    /// A list of values for each column of rows.
    init(rows: [[StoredValue]], _ types: [ColumnType]) throws(TableError) {
        for (column, type) in types.enumerated() {
            var list = ValueList(type, count: rows.count)
            for row in rows {
                switch row[column] {
                case .null: list.append(nil)
                case .integer(let integer): list.append(integer)
                case .counter(let counter): list.append(try StoredValue.number(of: counter))
                case .text(let text): list.append(text.utf8)
                case .blob(let blob): list.append(blob)
                }
            }
            add(list.bytes)
        }
    }

    /// How many bytes the values have.
    var size: Int { bytes.count }

    private mutating func add(_ texts: [String]) {
        var list = ValueList(.text, count: texts.count)
        for text in texts { list.append(text.utf8) }
        add(list.bytes)
    }

    private mutating func add(_ integer: Int64) { add(withUnsafeBytes(of: integer.bigEndian) { Array($0) }) }

    private mutating func add(_ value: [UInt8]?) {
        offsets.append(value == nil ? nil : bytes.count)
        lengths.append(Int32(value?.count ?? 0))
        bytes += value ?? []
    }

    /// Passes the number of parameters, the addresses of the values, their lengths and their formats to the body.
    func with<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Result
    ) -> Result {
        // One byte more, so that an empty value at the end has an address: without one it would be NULL.
        (bytes + [0]).withUnsafeBytes { memory in
            let start = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return body(Int32(offsets.count), pointers, lengths, [Int32](repeating: 1, count: offsets.count))
        }
    }
}
