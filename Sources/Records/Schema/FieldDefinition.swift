/// What the values of a field are, and which queries may use the field.
public struct FieldDefinition: Equatable, Sendable {
    /// What a value is: one of a kind, or a list of them.
    public struct Shape: Hashable, Sendable, CustomStringConvertible {
        /// The kind of the value, or of the values of the list.
        public var kind: FieldKind
        /// Whether a value is a list.
        public var isList: Bool
        /// Whether machines seal the values, so that the hub can neither read nor compare them.
        public var isEncrypted: Bool

        /// A shape of these parts.
        public init(_ kind: FieldKind, isList: Bool = false, isEncrypted: Bool = false) {
            self.kind = kind
            self.isList = isList
            self.isEncrypted = isEncrypted
        }

        /// The shape of a value.
        public init(of value: FieldValue) {
            switch value {
            case .list(let list): self.init(list.kind, isList: true)
            case .string: self.init(.string)
            case .bytes: self.init(.bytes)
            case .integer: self.init(.integer)
            case .double: self.init(.double)
            case .date: self.init(.date)
            case .location: self.init(.location)
            case .reference: self.init(.reference)
            case .asset: self.init(.asset)
            case .encrypted(let value): self = value.shape
            case .sealed(let field): self = field.shape
            }
        }

        /// Whether records can be ordered by values of this shape.
        public var hasOrder: Bool {
            switch kind {
            case .string, .bytes, .integer, .double, .date: !isList && !isEncrypted
            case .location, .reference, .asset: false
            }
        }

        /// The shape for a person.
        public var description: String {
            (isEncrypted ? "encrypted " : "") + (isList ? "list of " : "") + kind.rawValue
        }
    }

    /// What the values are.
    public var shape: Shape
    /// What queries may do with the field.
    public var indexes: Set<FieldIndex>

    /// A definition of these two.
    public init(_ shape: Shape, indexes: Set<FieldIndex> = []) {
        self.shape = shape
        self.indexes = indexes
    }
}

/// What a query may do with a field.
public enum FieldIndex: String, Sendable, CaseIterable, Comparable {
    /// Compare it with values for equality, look for values in a list, and measure the distance to a place.
    case queryable
    /// Order records by its values, compare the order of values, and look for the beginning of a text.
    case sortable
    /// Look for words in its texts.
    case searchable

    /// The order of the words.
    public static func < (left: FieldIndex, right: FieldIndex) -> Bool { left.rawValue < right.rawValue }
}

extension Query.Comparison {
    /// The index that a field needs for this comparison.
    var index: FieldIndex {
        switch self {
        case .equal, .isIn, .contains: .queryable
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith: .sortable
        case .containsWords: .searchable
        }
    }
}
