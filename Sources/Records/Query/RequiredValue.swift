/// A value that a field of each record has which a query finds. Subscriptions are found by it, so that a save evaluates only
/// those that could cover it.
///
/// The key may stand for several values, so that the query is evaluated all the same.
public struct RequiredValue: Hashable, Sendable {
    /// The field.
    public let field: FieldName
    /// The key of the value, as an index has it.
    public let key: IndexKey

    /// The values of a record that a query could require.
    static func values(of record: Record) -> [RequiredValue] {
        record.fields.compactMap { field, value in IndexKey(value).map { RequiredValue(field: field, key: $0) } }
    }
}

extension Query {
    /// The value that the query requires: that of its condition, or of one of several that all have to be true; nil if a record
    /// with any values could be found.
    public var requiredValue: RequiredValue? { filter?.requiredValue }
}

extension Query.Filter {
    fileprivate var requiredValue: RequiredValue? {
        switch self {
        case .compare(let field, .equal, let value): IndexKey(value).map { RequiredValue(field: field, key: $0) }
        case .all(let filters): filters.lazy.compactMap(\.requiredValue).first
        case .compare, .any, .not, .within, .words: nil
        }
    }
}
