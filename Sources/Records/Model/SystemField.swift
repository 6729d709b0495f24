/// A field that the hub maintains of each record, by which records can be ordered. No app chooses a name that begins with an
/// underscore, so that it is in a schema and in an index as every other field is.
public enum SystemField: String, Sendable, CaseIterable {
    /// When the record was made.
    case created = "_created"
    /// When the record was last changed.
    case modified = "_modified"
    /// The record's name.
    case name = "_name"

    /// The kind of its values.
    public var kind: FieldKind {
        switch self {
        case .created, .modified: .date
        case .name: .string
        }
    }

    /// The field's name.
    public var field: FieldName {
        switch self {
        case .created: FieldName(reserved: "_created")
        case .modified: FieldName(reserved: "_modified")
        case .name: FieldName(reserved: "_name")
        }
    }
}

extension FieldName {
    /// The name of a field of an app, or of one that the hub maintains; nil if the text is neither.
    public init?(ofAnyField text: String) {
        guard let name = SystemField(rawValue: text)?.field ?? FieldName(text) else { return nil }
        self = name
    }

    /// The field that the hub maintains; nil for one of an app.
    public var systemField: SystemField? { SystemField(rawValue: text) }
}

extension Record {
    /// The value of a field, also of one that the hub maintains; nil without one.
    public func value(of field: FieldName) -> FieldValue? {
        switch field.systemField {
        case .created: .date(created.time)
        case .modified: .date(modified.time)
        case .name: .string(name.text)
        case nil: fields[field]
        }
    }
}
