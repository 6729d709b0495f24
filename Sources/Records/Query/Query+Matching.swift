extension Query {
    /// Whether a record is found.
    public func matches(_ record: Record) -> Bool { matches(record.type, record.fields) }

    /// Whether a record with this type and these fields is found.
    public func matches(_ type: RecordType, _ fields: [FieldName: FieldValue]) -> Bool {
        type == self.type && filter?.matches(fields) ?? true
    }
}

extension Query.Filter {
    /// Whether a record with these fields fulfils the condition.
    func matches(_ fields: [FieldName: FieldValue]) -> Bool {
        switch self {
        case .all(let filters): return filters.allSatisfy { $0.matches(fields) }
        case .any(let filters): return filters.contains { $0.matches(fields) }
        case .not(let filter): return !filter.matches(fields)
        case .within(let name, let radius, let place):
            guard case .location(let own)? = fields[name] else { return false }
            return own.coordinate.distance(to: place.coordinate) <= radius.value
        case .compare(let name, let comparison, let value):
            guard let own = fields[name] else { return false }
            return comparison.holds(own, value)
        case .words(let text):
            var missing = Words.words(of: text)
            for value in fields.values where !missing.isEmpty { missing.subtract(Words.words(of: value)) }
            return missing.isEmpty
        }
    }

    /// The condition with these fields as those in which words are looked for; nil for all fields.
    func searching(_ fields: [FieldName]?) -> Query.Filter {
        guard let fields else { return self }
        switch self {
        case .all(let filters): return .all(filters.map { $0.searching(fields) })
        case .any(let filters): return .any(filters.map { $0.searching(fields) })
        case .not(let filter): return .not(filter.searching(fields))
        case .within, .compare: return self
        case .words(let text):
            return .all(
                Words.words(of: text).longestFirst.map { word in
                    let word = FieldValue.string(String(decoding: word, as: UTF8.self))
                    return .any(fields.map { .compare($0, .containsWords, word) })
                })
        }
    }
}

extension Query.Comparison {
    fileprivate func holds(_ own: FieldValue, _ value: FieldValue) -> Bool {
        switch self {
        case .equal: return own == value
        case .less: return own.order(with: value).map { $0 < 0 } ?? false
        case .lessOrEqual: return own.order(with: value).map { $0 <= 0 } ?? false
        case .greater: return own.order(with: value).map { $0 > 0 } ?? false
        case .greaterOrEqual: return own.order(with: value).map { $0 >= 0 } ?? false
        case .isIn:
            guard case .list(let list) = value else { return false }
            return list.values.contains(own)
        case .beginsWith:
            guard case .string(let text) = own, case .string(let beginning) = value else { return false }
            return text.utf8.starts(with: beginning.utf8)
        case .contains:
            guard case .list(let list) = own else { return false }
            return list.values.contains(value)
        case .containsWords: return Words.words(of: value).isSubset(of: Words.words(of: own))
        }
    }
}

extension FieldValue {
    /// Negative, zero or positive; nil for different kinds, and for those without an order.
    fileprivate func order(with other: FieldValue) -> Int? {
        switch (self, other) {
        case (.string(let left), .string(let right)): Self.order(left.utf8, right.utf8)
        case (.bytes(let left), .bytes(let right)): Self.order(left, right)
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.double(let left), .double(let right)):
            left.value < right.value ? -1 : left.value > right.value ? 1 : 0
        case (.date(let left), .date(let right)): left < right ? -1 : left > right ? 1 : 0
        default: nil
        }
    }

    private static func order(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Int {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return left.elementsEqual(right) ? 0 : 1
    }
}
