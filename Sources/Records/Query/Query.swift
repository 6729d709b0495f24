import Location

/// Which records of a type to find. A query is a tree that was checked once; an engine turns it into a statement with
/// parameters, and never into text.
public struct Query: Hashable, Sendable {
    /// A condition on a record.
    public indirect enum Filter: Hashable, Sendable {
        /// All of them.
        case all([Filter])
        /// At least one of them.
        case any([Filter])
        /// The opposite.
        case not(Filter)
        /// A comparison of a field with a value.
        case compare(FieldName, Comparison, FieldValue)
        /// A location within this many metres of a place, along a great circle.
        case within(FieldName, FiniteDouble, of: StoredPlace)
        /// Each word of this text is in one of the record's texts: at the hub, in one of those that are searchable.
        case words(String)
    }

    /// How a field is compared. If the record does not have the field, or with a value of another kind, a comparison does not
    /// match; its opposite does.
    public enum Comparison: String, Sendable, CaseIterable {
        /// The same value.
        case equal
        /// Smaller: numbers and dates by value, texts and bytes by bytes. Other kinds have no order.
        case less
        /// Smaller or the same.
        case lessOrEqual
        /// Greater.
        case greater
        /// Greater or the same.
        case greaterOrEqual
        /// One of the values of a list.
        case isIn
        /// A text that begins with these bytes.
        case beginsWith
        /// A list that contains the value.
        case contains
        /// A text, or a list of texts, that has all words of this one, in any order. Case does not count.
        case containsWords
    }

    /// A field by whose values records are ordered: records without one first, and then as a comparison orders values. Of texts
    /// and bytes the first 128 bytes count. The field may be one that the hub maintains.
    ///
    /// With a place records are ordered by the distance of their location from it, and a record without a location is not found.
    public struct Order: Hashable, Sendable {
        /// The field.
        public var field: FieldName
        /// The place from which the distance is measured; nil for an order by the values themselves.
        public var place: StoredPlace?
        /// Whether the greatest value, or the farthest location, is first.
        public var isDescending: Bool

        /// An order by this field, or by the distance of its location from a place.
        public init(_ field: FieldName, from place: StoredPlace? = nil, descending: Bool = false) {
            self.field = field
            self.place = place
            isDescending = descending
        }
    }

    /// What a query may have.
    public enum Limit {
        /// Levels of conditions within conditions.
        public static let depth = 8
        /// Conditions altogether.
        public static let conditions = 100
        /// Values of a list that a field is compared with.
        public static let values = 250
        /// Words of a text that are looked for.
        public static let words = 20
        /// Fields of an order.
        public static let orders = 3
        /// Bytes of the query as JSON.
        public static let bytes = 64 << 10
    }

    /// The type of the records.
    public let type: RecordType
    /// The condition; nil for all records of the type.
    public let filter: Filter?
    /// The order of the records, by the first field, and where that is the same by the next one; then by name. Empty for any.
    public let order: [Order]

    /// Nil if the query exceeds a limit, compares in a manner that the kind of the value does not have, or orders by one field
    /// twice, or by the distance of what is no location.
    public init?(_ type: RecordType, _ filter: Filter? = nil, order: [Order] = []) {
        var conditions = 0
        guard filter?.isValid(depth: Limit.depth, &conditions) ?? true, conditions <= Limit.conditions,
            order.count <= Limit.orders, Set(order.map(\.field)).count == order.count,
            order.allSatisfy({ $0.place == nil || $0.field.systemField == nil })
        else { return nil }
        self.type = type
        self.filter = filter
        self.order = order
    }
}

extension Query.Filter {
    /// Whether the condition makes sense and is not nested deeper; counts conditions.
    fileprivate func isValid(depth: Int, _ conditions: inout Int) -> Bool {
        conditions += 1
        guard depth > 0, conditions <= Query.Limit.conditions else { return false }
        switch self {
        case .all(let filters), .any(let filters):
            for filter in filters {
                guard filter.isValid(depth: depth - 1, &conditions) else { return false }
            }
            return true
        case .not(let filter): return filter.isValid(depth: depth - 1, &conditions)
        case .within(_, let radius, _): return radius.value >= 0
        case .words(let text): return Query.Comparison.containsWords.accepts(.string(text))
        case .compare(_, let comparison, let value): return comparison.accepts(value)
        }
    }
}

extension Query.Comparison {
    fileprivate func accepts(_ value: FieldValue) -> Bool {
        switch self {
        case .equal, .contains: value.kind != nil
        case .beginsWith: value.kind == .string
        case .containsWords:
            if case .string(let text) = value {
                (1...Query.Limit.words).contains(Words.words(of: text).count)
            } else {
                false
            }
        case .isIn:
            if case .list(let list) = value { list.values.count <= Query.Limit.values } else { false }
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            switch value.kind {
            case .string, .bytes, .integer, .double, .date: true
            default: false
            }
        }
    }
}
