import JSONText
import Location
import Records

/// Which records of a type to find: what `CKQuery` is in CloudKit, with a typed condition in place of a predicate. A query
/// examines the records of the copy on this machine, and needs neither an index nor a network there. One of the public database is
/// that of the hub, and needs both.
public struct RecordQuery: Equatable, Sendable {
    /// The type of the records.
    public let recordType: String
    /// The condition; nil for all records of the type.
    public let filter: RecordFilter?
    /// The order, by the first key, and where that is the same by the next one: at most three. Without one the records come in the
    /// order of their names.
    public let sortDescriptors: [RecordSortDescriptor]

    /// A query for records of a type that fulfil a condition.
    public init(
        recordType: String, filter: RecordFilter? = nil, sortDescriptors: [RecordSortDescriptor] = []
    ) {
        self.recordType = recordType
        self.filter = filter
        self.sortDescriptors = sortDescriptors
    }

    /// The query as `waymark-sync` reads it.
    func query() throws(RecordError) -> Query {
        guard let type = RecordType(recordType) else {
            throw RecordError(.invalidArguments, "\(recordType) is no type of a record.")
        }
        if let filter, filter.filter == nil {
            throw RecordError(
                .invalidArguments, "The condition has a name of a field, or a value, that no record can have.")
        }
        var order: [Query.Order] = []
        for descriptor in sortDescriptors {
            guard let field = descriptor.field else {
                throw RecordError(.invalidArguments, "\(descriptor.key) is no name of a field.")
            }
            order.append(
                Query.Order(field, from: descriptor.place.map { StoredPlace($0) }, descending: !descriptor.ascending))
        }
        guard let query = Query(type, filter?.filter, order: order) else {
            throw RecordError(
                .invalidArguments,
                "The condition exceeds a limit, or compares values that have no order, or the order has more than three keys or"
                    + " one of them twice.")
        }
        return query
    }
}

/// A field by which a query orders records: what `NSSortDescriptor` is in a `CKQuery`. Numbers and dates are ordered by value,
/// strings and bytes by their first 128 bytes; records without the field come first, and last if the order is descending.
///
/// An order by the distance from a place is what `CKLocationSortDescriptor` is; records without a location are not found by it.
public struct RecordSortDescriptor: Equatable, Sendable {
    /// What the hub maintains of each record, and what records can be ordered by. A record that the hub does not have yet has neither
    /// date.
    public enum SystemKey: String, Sendable, CaseIterable {
        /// When the hub got the record first.
        case creationDate
        /// When the hub got its latest change.
        case modificationDate
        /// The name of the record.
        case recordName
    }

    /// The name of the field, or the word of a `SystemKey`.
    public let key: String
    /// Whether the smallest value, or the nearest location, is first.
    public let ascending: Bool
    /// The place from which distances are measured; nil for an order by values.
    public let place: Coordinate?
    private let system: SystemKey?

    /// An order by a field.
    public init(key: String, ascending: Bool = true) {
        self.init(key, ascending, nil, nil)
    }

    /// An order by what the hub maintains.
    public init(_ key: SystemKey, ascending: Bool = true) {
        self.init(key.rawValue, ascending, nil, key)
    }

    /// An order by the distance of a field's location from a place, along a great circle; the nearest one is first.
    public init(key: String, distanceFrom place: Coordinate, ascending: Bool = true) {
        self.init(key, ascending, place, nil)
    }

    private init(_ key: String, _ ascending: Bool, _ place: Coordinate?, _ system: SystemKey?) {
        self.key = key
        self.ascending = ascending
        self.place = place
        self.system = system
    }

    /// The field as a query names it; nil if the key is none.
    var field: FieldName? {
        switch system {
        case .creationDate: SystemField.created.field
        case .modificationDate: SystemField.modified.field
        case .recordName: SystemField.name.field
        case nil: FieldName(key)
        }
    }
}

/// A condition on a record. A record that does not have the field, or with a value of another kind, does not fulfil it.
public struct RecordFilter: Equatable, Sendable {
    /// Nil if it cannot be fulfilled by any record, because a name or value is not valid.
    let filter: Query.Filter?

    private init(_ filter: Query.Filter?) { self.filter = filter }

    /// The condition of a query as a hub has it; nil if it is none.
    init?(stored json: JSON) {
        let text = Array(#"{"type":"Any","filter":"#.utf8) + json.bytes + Array("}".utf8)
        guard let filter = try? Query(json: text).filter else { return nil }
        self.init(filter)
    }

    private init(_ field: String, _ comparison: Query.Comparison, _ value: some RecordValueConvertible) {
        guard let name = FieldName(field), let value = value.recordValue.field else {
            self.init(nil)
            return
        }
        self.init(.compare(name, comparison, value))
    }

    /// All of the conditions.
    public static func all(_ filters: [RecordFilter]) -> RecordFilter { joined(filters, Query.Filter.all) }

    /// At least one of the conditions.
    public static func any(_ filters: [RecordFilter]) -> RecordFilter { joined(filters, Query.Filter.any) }

    private static func joined(_ filters: [RecordFilter], _ join: ([Query.Filter]) -> Query.Filter) -> RecordFilter {
        let parts = filters.compactMap(\.filter)
        return RecordFilter(parts.count == filters.count ? join(parts) : nil)
    }

    /// The opposite of a condition. A record without the field fulfils it.
    public static func not(_ filter: RecordFilter) -> RecordFilter { RecordFilter(filter.filter.map(Query.Filter.not)) }

    /// A field with this value.
    public static func equal(_ field: String, _ value: some RecordValueConvertible) -> RecordFilter {
        RecordFilter(field, .equal, value)
    }

    /// A number, date, string or bytes before this value; strings and bytes by their bytes.
    public static func less(_ field: String, than value: some RecordValueConvertible) -> RecordFilter {
        RecordFilter(field, .less, value)
    }

    /// A number, date, string or bytes before this value, or the same.
    public static func lessOrEqual(_ field: String, to value: some RecordValueConvertible) -> RecordFilter {
        RecordFilter(field, .lessOrEqual, value)
    }

    /// A number, date, string or bytes after this value.
    public static func greater(_ field: String, than value: some RecordValueConvertible) -> RecordFilter {
        RecordFilter(field, .greater, value)
    }

    /// A number, date, string or bytes after this value, or the same.
    public static func greaterOrEqual(_ field: String, to value: some RecordValueConvertible) -> RecordFilter {
        RecordFilter(field, .greaterOrEqual, value)
    }

    /// A field with one of these values, at most 250.
    public static func isIn(_ field: String, _ values: [some RecordListElement]) -> RecordFilter {
        RecordFilter(field, .isIn, values)
    }

    /// A string that begins with these bytes.
    public static func beginsWith(_ field: String, _ text: String) -> RecordFilter {
        RecordFilter(field, .beginsWith, text)
    }

    /// A list with this value.
    public static func contains(_ field: String, _ value: some RecordListElement) -> RecordFilter {
        RecordFilter(field, .contains, value)
    }

    /// A string, or a list of strings, with all of these words, in any order and in any case: at most 20.
    public static func containsWords(_ field: String, _ words: String) -> RecordFilter {
        RecordFilter(field, .containsWords, words)
    }

    /// A record whose strings together have all of these words: what `self CONTAINS` is in CloudKit.
    public static func containsWords(_ words: String) -> RecordFilter { RecordFilter(.words(words)) }

    /// A location within this many metres of a place, along a great circle.
    public static func within(_ meters: Double, of place: Coordinate, _ field: String) -> RecordFilter {
        guard let name = FieldName(field), let radius = FiniteDouble(meters) else { return RecordFilter(nil) }
        return RecordFilter(.within(name, radius, of: StoredPlace(place)))
    }
}
