/// The types of a container in one environment.
///
/// In development a save makes types and fields as it goes. In production nothing is made by a save: types and fields are
/// deployed from development. Before the first deployment, production accepts every record, so that a hub of one's own serves
/// an app without any preparation.
public struct Schema: Equatable, Sendable {
    /// The types by their names.
    public var types: [RecordType: TypeDefinition]

    /// A schema of these types; of two with the same name the last one.
    public init(_ types: [TypeDefinition] = []) {
        self.types = Dictionary(types.map { ($0.name, $0) }) { $1 }
    }

    /// What makes another schema of this one, in the order of types and fields.
    public func differences(to other: Schema) -> [SchemaDifference] {
        var found: [SchemaDifference] = []
        for name in Set(types.keys).union(other.types.keys).sorted() {
            switch (types[name], other.types[name]) {
            case (nil, let new?):
                found.append(.typeAdded(name))
                if new.roles != RecordRoles() { found.append(.rolesChanged(name, to: new.roles)) }
                found += TypeDefinition(name).differences(to: new)
            case (_?, nil): found.append(.typeRemoved(name))
            case (let old?, let new?):
                if old.roles != new.roles { found.append(.rolesChanged(name, to: new.roles)) }
                found += old.differences(to: new)
            case (nil, nil): break
            }
        }
        return found
    }
}

extension TypeDefinition {
    fileprivate func differences(to other: TypeDefinition) -> [SchemaDifference] {
        var found: [SchemaDifference] = []
        for field in Set(fields.keys).union(other.fields.keys).sorted() {
            guard let new = other.fields[field] else {
                found.append(.fieldRemoved(name, field))
                continue
            }
            let old = fields[field]
            if old == nil { found.append(.fieldAdded(name, field, new.shape)) }
            if let old, old.shape != new.shape { found.append(.shapeChanged(name, field, old.shape, to: new.shape)) }
            let before = old?.indexes ?? []
            found += new.indexes.subtracting(before).sorted().map { .indexAdded(name, field, $0) }
            found += before.subtracting(new.indexes).sorted().map { .indexRemoved(name, field, $0) }
        }
        return found
    }
}

/// One difference between two schemas.
public enum SchemaDifference: Equatable, Sendable {
    /// There is another type.
    case typeAdded(RecordType)
    /// A type is missing.
    case typeRemoved(RecordType)
    /// A type has another field.
    case fieldAdded(RecordType, FieldName, FieldDefinition.Shape)
    /// A field is missing.
    case fieldRemoved(RecordType, FieldName)
    /// The values of a field are others.
    case shapeChanged(RecordType, FieldName, FieldDefinition.Shape, to: FieldDefinition.Shape)
    /// Queries may do more with a field.
    case indexAdded(RecordType, FieldName, FieldIndex)
    /// Queries may do less with a field.
    case indexRemoved(RecordType, FieldName, FieldIndex)
    /// Others may do other things to records of the public database.
    case rolesChanged(RecordType, to: RecordRoles)

    /// Whether it takes nothing from an app that uses the schema.
    public var isAddition: Bool {
        switch self {
        case .typeAdded, .fieldAdded, .indexAdded: true
        case .typeRemoved, .fieldRemoved, .shapeChanged, .indexRemoved, .rolesChanged: false
        }
    }

    /// Whether it is about rights, and not about what records may have.
    public var isAboutRoles: Bool { if case .rolesChanged = self { true } else { false } }
}

extension SchemaDifference: CustomStringConvertible {
    /// The difference for a person.
    public var description: String {
        switch self {
        case .typeAdded(let type): "the type \(type) is added"
        case .typeRemoved(let type): "the type \(type) is removed"
        case .fieldAdded(let type, let field, let shape): "the field \(type).\(field) (\(shape)) is added"
        case .fieldRemoved(let type, let field): "the field \(type).\(field) is removed"
        case .shapeChanged(let type, let field, let old, let new):
            "the field \(type).\(field) is changed from \(old) to \(new)"
        case .indexAdded(let type, let field, let index): "the field \(type).\(field) becomes \(index.rawValue)"
        case .indexRemoved(let type, let field, let index):
            "the field \(type).\(field) ceases to be \(index.rawValue)"
        case .rolesChanged(let type, let roles): "the roles of the type \(type) become: \(roles)"
        }
    }
}
