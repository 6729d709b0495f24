import Regions
import Storage

/// Work on all rows of a list, in steps between which other requests are done.
extension RegionTables {
    /// Numbers that one step looks at, and rows that one step writes.
    static let window: Int64 = 8_192
    static let rowsAtOnce = 1_000

    /// Reads the payloads or the identifiers of a list's rows into an order. Returns the next number to read from; nil
    /// after the last.
    func collect(
        _ order: inout RowOrder, of list: ListRow, from start: Int64, key: OrderKey
    ) throws(StorageError) -> Int64? {
        guard let numbers = list.numbers, start <= numbers.upperBound else { return nil }
        let end = min(start + Self.window - 1, numbers.upperBound)
        let column = key.column
        try Statement(
            database, "SELECT number, \(column) FROM regions WHERE number BETWEEN ? AND ? AND list = ?",
            as: "read the regions of a list"
        ).run([.integer(start), .integer(end), .integer(list.id)]) { row throws(StorageError) in
            let number = row.integer(0)
            switch key {
            case .place:
                order.append(
                    number, key: RowOrder.key(of: try content(row, column: 1, number).region.bounds))
            case .name(let common): order.append(number, key: RowOrder.key(of: row.text(1), after: common))
            }
            return true
        }
        return end < numbers.upperBound ? end + 1 : nil
    }

    /// What an order is made of.
    enum OrderKey {
        /// Where a region is.
        case place
        /// Its identifier, after this many bytes that all have in common.
        case name(common: Int)

        fileprivate var column: String {
            switch self {
            case .place: "payload"
            case .name: "identifier"
            }
        }
    }

    /// Adds boxes of regions, within `change`.
    func addBoxes(of numbers: [Int64]) throws(StorageError) {
        for number in numbers {
            var bounds: Bounds?
            try statements.region.run([.integer(number)]) { row throws(StorageError) in
                bounds = try content(row, column: 6, number).region.bounds
                return false
            }
            if let bounds { try insertBox(bounds, of: number) }
        }
    }

    /// Adds names of regions to their list, within `change`. Of two with one identifier, the later number remains.
    /// Returns how many were removed for it.
    func addNames(of numbers: [Int64], to list: Int64) throws(StorageError) -> Int {
        var removed = 0
        for number in numbers {
            var identifier: String?
            try statements.place.first([.integer(number)]) { identifier = $0.text(1) }
            guard let identifier else { continue }
            let other = try self.number(of: identifier, in: list)
            if let other {
                try delete(min(number, other))
                removed += 1
            }
            if number > other ?? 0 {
                try statements.writeName.run([.integer(list), .text(identifier), .integer(number)])
            }
        }
        return removed
    }
}
