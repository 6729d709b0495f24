/// An index over a field of the records of a type in a zone.
public struct RecordIndex: Hashable, Comparable, Sendable {
    /// What the index orders.
    public enum Content: String, Sendable {
        /// Values, or the elements of lists.
        case values
        /// The words of texts.
        case words
    }

    /// The type of the records.
    public let type: RecordType
    /// The field.
    public let field: FieldName
    /// What the index orders.
    public let content: Content

    /// An index over a field.
    public init(_ type: RecordType, _ field: FieldName, _ content: Content) {
        self.type = type
        self.field = field
        self.content = content
    }

    /// The name of the index: type, dot, field, and for words `/words`. Names of a schema have neither dot nor slash.
    public var name: String { "\(type.text).\(field.text)" + (content == .words ? "/words" : "") }

    /// The order of names.
    public static func < (left: RecordIndex, right: RecordIndex) -> Bool { left.name < right.name }
}

/// An entry of an index: that a record has a value with this key.
public struct IndexEntry: Hashable, Comparable, Sendable {
    /// The index.
    public var index: RecordIndex
    /// The key.
    public var key: IndexKey
    /// The record's name.
    public var record: RecordName

    /// An entry of these parts.
    public init(_ index: RecordIndex, _ key: IndexKey, _ record: RecordName) {
        self.index = index
        self.key = key
        self.record = record
    }

    /// The order in which entries are stored.
    public static func < (left: IndexEntry, right: IndexEntry) -> Bool {
        if left.index != right.index { return left.index < right.index }
        return left.key == right.key ? left.record < right.record : left.key < right.key
    }
}

/// A place in an index: before the first record with a key, or after one of them.
public struct EntryPosition: Equatable, Sendable {
    /// The key.
    public var key: IndexKey
    /// The name of a record; nil for the place before all with this key.
    public var record: RecordName?

    /// A place in an index.
    public init(_ key: IndexKey, _ record: RecordName? = nil) {
        self.key = key
        self.record = record
    }
}

extension TypeDefinition {
    /// The most entries of a record in an index. A record with more values has one entry that every query of their index
    /// evaluates, so that a list of a hundred thousand values does not become as many rows.
    static let mostEntries = 1_000

    /// The indexes over a field.
    func indexes(over field: FieldName) -> [RecordIndex] {
        guard let indexes = fields[field]?.indexes else { return [] }
        var found: [RecordIndex] = []
        if indexes.contains(.queryable) || indexes.contains(.sortable) {
            found.append(RecordIndex(name, field, .values))
        }
        if indexes.contains(.searchable) { found.append(RecordIndex(name, field, .words)) }
        return found
    }

    /// The keys under which an index has a record.
    func keys(_ index: RecordIndex, _ record: Record) -> Set<IndexKey> {
        let value = record.value(of: index.field)
        var keys: Set<IndexKey>
        switch index.content {
        case .words: keys = Set(Words.words(of: value).map { IndexKey(word: $0) })
        case .values:
            switch value {
            case .list(let list)?: keys = Set(list.values.compactMap { IndexKey($0) })
            // In an order, a record without a value that can be compared has a place too.
            case nil, .sealed?: keys = fields[index.field]?.indexes.contains(.sortable) == true ? [.missing] : []
            case let value?: keys = Set([IndexKey(value)].compactMap { $0 })
            }
        }
        return keys.count > Self.mostEntries ? [.overflow] : keys
    }

    /// The entries of a record of this type in the indexes over these fields.
    func entries(of record: Record, over fields: some Sequence<FieldName>) -> Set<IndexEntry> {
        var entries: Set<IndexEntry> = []
        for index in fields.flatMap({ indexes(over: $0) }) {
            for key in keys(index, record) { entries.insert(IndexEntry(index, key, record.name)) }
        }
        return entries
    }

    /// The entries of a record of this type.
    func entries(of record: Record) -> Set<IndexEntry> {
        entries(of: record, over: fields.lazy.filter { !$0.value.indexes.isEmpty }.map(\.key))
    }
}

/// What a request changes in the indexes of a zone.
struct EntryChanges {
    /// The entries to remove, in their order.
    private(set) var removed: [IndexEntry] = []
    /// The entries to add, in their order.
    private(set) var added: [IndexEntry] = []

    /// What changes when these rows are stored in place of others. A type without an index changes nothing.
    init(_ rows: [RecordRow], _ stored: [RecordName: RecordRow], _ schema: SchemaView) {
        for row in rows {
            let old = stored[row.name]?.record.map { schema.entries(of: $0) } ?? []
            let new = row.record.map { schema.entries(of: $0) } ?? []
            removed += old.subtracting(new)
            added += new.subtracting(old)
        }
        removed.sort()
        added.sort()
    }

    var isEmpty: Bool { removed.isEmpty && added.isEmpty }
}
