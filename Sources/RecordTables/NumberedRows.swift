import Records

/// What a row with a number has: other rows refer to it by the number, which it gets when it is stored first.
package protocol NumberedKey: Comparable, Hashable {
    associatedtype Row

    /// The columns of the key.
    var columns: [StoredValue] { get }
    /// Finds the number of a key.
    static var find: TableStatement { get }
    /// Adds a row without anything but its key, and returns its number.
    static var add: TableStatement { get }
    /// Reads or changes the rows that a transaction knows.
    static func known<Value>(in cache: RowCache, _ body: (inout NumberedRows<Self>) -> Value) -> Value
}

extension ZoneID: NumberedKey {
    package typealias Row = ZoneRow
    package static var find: TableStatement { .findZone }
    package static var add: TableStatement { .addZone }
    package static func known<Value>(in cache: RowCache, _ body: (inout NumberedRows<ZoneID>) -> Value) -> Value {
        body(&cache.zones)
    }
}

extension DatabaseID: NumberedKey {
    package typealias Row = DatabaseRow
    package static var find: TableStatement { .findDatabase }
    package static var add: TableStatement { .addDatabase }
    package static func known<Value>(
        in cache: RowCache, _ body: (inout NumberedRows<DatabaseID>) -> Value
    ) -> Value {
        body(&cache.databases)
    }
}

/// Rows that a transaction knows, with the numbers by which other rows refer to them, and those that it has not stored yet. A row
/// may have a number before it was written, and one that was written may have none.
package struct NumberedRows<Key: NumberedKey> {
    private var rows: [Key: Key.Row?] = [:]
    private var numbers: [Key: Int64?] = [:]
    private var unstored: Set<Key> = []

    /// Whether rows are to be stored yet.
    var hasUnstored: Bool { !unstored.isEmpty }

    /// The row, nil inside if there is none; nil outside if that is not known.
    func row(of key: Key) -> Key.Row?? { rows[key] }
    /// The number, nil inside if there is none; nil outside if that is not known.
    func number(of key: Key) -> Int64?? { numbers[key] }

    /// Adds what was read.
    mutating func add(_ row: Key.Row?, number: Int64?, of key: Key) {
        rows[key] = .some(row)
        numbers[key] = .some(number)
    }

    /// Adds a number that was read.
    mutating func add(number: Int64, of key: Key) { numbers[key] = number }

    /// Replaces a row. Returns whether it is stored later: one without a number has to be stored at once, and then it has one.
    mutating func put(_ row: Key.Row, of key: Key) -> Bool {
        rows[key] = .some(row)
        guard case .some(.some) = numbers[key] else {
            numbers.removeValue(forKey: key)
            return false
        }
        unstored.insert(key)
        return true
    }

    /// The row was removed.
    mutating func remove(_ key: Key) {
        rows[key] = .some(nil)
        numbers[key] = .some(nil)
    }

    /// The rows that are to be stored, in the order of their keys, which they are then.
    mutating func removeUnstored() -> [(key: Key, row: Key.Row)] {
        defer { unstored = [] }
        return unstored.sorted().compactMap { key in (rows[key] ?? nil).map { (key, $0) } }
    }
}

extension TableTransaction {
    /// The number of a zone or a database; nil if it has none yet.
    package func number<Key: NumberedKey>(of key: Key) throws(EngineFailure) -> Int64? {
        if let cache, let number = Key.known(in: cache, { $0.number(of: key) }) { return number }
        return try first(Key.find, key.columns) { (row) throws(TableError) in try row.integer(0) }
    }

    /// The number of a zone or a database to which a row is to refer, whether or not its own row was written.
    func numberToWrite<Key: NumberedKey>(of key: Key) throws(EngineFailure) -> StoredValue {
        if let cache, case .some(.some(let number)) = Key.known(in: cache, { $0.number(of: key) }) {
            return .integer(number)
        }
        var number = try number(of: key)
        if number == nil {
            number = try first(Key.add, key.columns) { (row) throws(TableError) in try row.integer(0) }
        }
        if let cache, let number { Key.known(in: cache) { $0.add(number: number, of: key) } }
        return StoredValue(number)
    }
}
