/// What the records of a type may have, and who may do what to those of the public database.
public struct TypeDefinition: Equatable, Sendable {
    /// The type.
    public var name: RecordType
    /// The fields.
    public var fields: [FieldName: FieldDefinition]
    /// The rights to records of the public database.
    public var roles: RecordRoles
    /// The fields with indexes that do not have the records from before yet. Engines store it; it is no part of a schema that is
    /// written as JSON, and no difference of two.
    public var unfilled: Set<FieldName> = []

    /// A definition of these parts.
    public init(_ name: RecordType, _ fields: [FieldName: FieldDefinition] = [:], roles: RecordRoles = RecordRoles()) {
        self.name = name
        self.fields = fields
        self.roles = roles
    }

    /// The first field, in the order of names, that a draft sets and that the type has not, or has with other values.
    func violation(of draft: RecordDraft) -> SchemaViolation? {
        for (field, value) in draft.fields.sorted(by: { $0.key < $1.key }) {
            guard let definition = fields[field] else { return .unknownField(name, field) }
            guard definition.shape == FieldDefinition.Shape(of: value) else {
                return .otherShape(name, field, definition.shape)
            }
        }
        return nil
    }

    /// Adds the fields of a draft that the type has not. Returns whether there were any.
    mutating func add(fieldsOf draft: RecordDraft) -> Bool {
        let missing = draft.fields.filter { fields[$0.key] == nil }
        for (field, value) in missing { fields[field] = FieldDefinition(FieldDefinition.Shape(of: value)) }
        return !missing.isEmpty
    }
}

/// How a record or a query does not fit the schema of its container.
public enum SchemaViolation: Equatable, Sendable {
    /// The schema has no such type.
    case unknownType(RecordType)
    /// The type has no such field.
    case unknownField(RecordType, FieldName)
    /// The field has values of another kind: of this one.
    case otherShape(RecordType, FieldName, FieldDefinition.Shape)
    /// A query uses the field as only a field with this index may be used.
    case indexMissing(RecordType, FieldName, FieldIndex)
    /// A query looks for words in all searchable fields, and the type has none.
    case notSearchable(RecordType)
}
