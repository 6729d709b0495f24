import Containers

/// The definitions that a request needs, as its transaction has read them, and what a save in development adds to them.
struct SchemaView: Equatable {
    /// What applies to a record or a query.
    private enum Mode: Equatable {
        /// Production before the first deployment: everything is accepted.
        case open
        /// Production, and development for who may not change its schema: what the schema has not is refused.
        case closed
        /// Development: what the schema has not is added.
        case growing
    }

    private let mode: Mode
    private var types: [RecordType: TypeDefinition]
    /// The types that were made or extended.
    private(set) var changed: Set<RecordType> = []

    /// A view of these definitions.
    /// - Parameters:
    ///   - isEmpty: Whether the container has no types at all.
    ///   - isFrozen: Whether nothing is added in development, because the caller may not do this.
    init(
        _ environment: ContainerEnvironment, _ types: [RecordType: TypeDefinition], isEmpty: Bool,
        isFrozen: Bool = false
    ) {
        mode = environment == .development ? isFrozen ? .closed : .growing : isEmpty ? .open : .closed
        self.types = types
    }

    /// The definitions that are to be stored.
    var changes: [TypeDefinition] { changed.sorted().compactMap { types[$0] } }

    /// The rights to the records of a type in the public database.
    func roles(of type: RecordType) -> RecordRoles { types[type]?.roles ?? RecordRoles() }

    /// Adds to the schema what a draft needs, if a save may do this. Returns how the draft does not fit otherwise.
    mutating func admit(_ draft: RecordDraft) -> SchemaViolation? {
        switch mode {
        case .open: return nil
        case .closed:
            guard let type = types[draft.type] else { return .unknownType(draft.type) }
            return type.violation(of: draft)
        case .growing:
            let stored = types[draft.type]
            var type = stored ?? TypeDefinition(draft.type)
            let isExtended = type.add(fieldsOf: draft)
            if let violation = type.violation(of: draft) { return violation }
            guard isExtended || stored == nil else { return nil }
            types[draft.type] = type
            changed.insert(draft.type)
            return nil
        }
    }

    /// The definition of a type, if there is one.
    func definition(of type: RecordType) -> TypeDefinition? { types[type] }

    /// The entries of a record in the indexes of its type.
    func entries(of record: Record) -> Set<IndexEntry> { types[record.type]?.entries(of: record) ?? [] }

    /// The fields in which a query looks for words; nil for all.
    func searchedFields(of type: RecordType) -> [FieldName]? {
        guard mode != .open, let fields = types[type]?.fields else { return nil }
        return fields.filter { $0.value.indexes.contains(.searchable) }.map(\.key).sorted()
    }

    /// How a query of a subscription does not fit: it names a type or a field that production has not.
    func mismatch(of query: Query) -> SchemaViolation? {
        guard mode == .closed else { return nil }
        guard let type = types[query.type] else { return .unknownType(query.type) }
        return query.filter?.fields.sorted().first { type.fields[$0] == nil }.map { .unknownField(query.type, $0) }
    }

    /// How a query does not fit: it names a type or a field that there is not, or a field without the index it needs.
    func violation(of query: Query) -> SchemaViolation? {
        guard mode != .open else { return nil }
        guard let type = types[query.type] else { return .unknownType(query.type) }
        for order in query.order {
            let needed: FieldIndex = order.place == nil ? .sortable : .queryable
            if let violation = type.violation(order.field, needed) { return violation }
            guard let shape = type.fields[order.field]?.shape,
                order.place == nil ? shape.hasOrder : shape == FieldDefinition.Shape(.location)
            else {
                return type.fields[order.field].map { .otherShape(type.name, order.field, $0.shape) }
            }
        }
        return query.filter?.violation(type)
    }
}

extension Query.Filter {
    /// The fields that are compared.
    fileprivate var fields: Set<FieldName> {
        switch self {
        case .all(let filters), .any(let filters): filters.reduce(into: []) { $0.formUnion($1.fields) }
        case .not(let filter): filter.fields
        case .within(let field, _, _), .compare(let field, _, _): [field]
        case .words: []
        }
    }

    fileprivate func violation(_ type: TypeDefinition) -> SchemaViolation? {
        switch self {
        case .all(let filters), .any(let filters):
            for filter in filters {
                if let violation = filter.violation(type) { return violation }
            }
            return nil
        case .not(let filter): return filter.violation(type)
        case .within(let field, _, _): return type.violation(field, .queryable)
        case .compare(let field, let comparison, _): return type.violation(field, comparison.index)
        case .words:
            let isSearchable = type.fields.values.contains { $0.indexes.contains(.searchable) }
            return isSearchable ? nil : .notSearchable(type.name)
        }
    }
}

extension TypeDefinition {
    fileprivate func violation(_ field: FieldName, _ index: FieldIndex) -> SchemaViolation? {
        guard let definition = fields[field] else {
            // Every record has it, whether or not the schema names it.
            return field.systemField == nil ? .unknownField(name, field) : .indexMissing(name, field, index)
        }
        if definition.shape.isEncrypted { return .otherShape(name, field, definition.shape) }
        return definition.indexes.contains(index) ? nil : .indexMissing(name, field, index)
    }
}
