/// Ranges of an index that have at least the records that a query finds.
struct IndexScan: Equatable {
    let index: RecordIndex
    /// In their order, and without a key that is in two of them.
    var ranges: [KeyRange]
}

/// By which indexes a query finds its records.
///
/// An index only ever says which records to evaluate: each of them is compared with the query itself, so that a key that
/// stands for several values finds nothing wrong.
enum QueryPlan: Equatable {
    /// Without an index: all records of the zone are evaluated, in the order of their last changes.
    case everything
    /// By ranges of one or several indexes, one after the other.
    case scans([IndexScan])
    /// In an order.
    /// - Parameters:
    ///   - by: The index of the first field of the order, if there is one, and the ranges of it that the condition permits.
    ///   - narrowed: The ranges of other indexes that the condition permits.
    case ordered(by: IndexScan?, narrowed: [IndexScan]?)

    /// Bytes that differ for plans whose cursors differ.
    var digestible: [UInt8] {
        if case .scans(let scans) = self { scans.flatMap { Array($0.index.name.utf8) + [0] } } else { [] }
    }
}

extension TypeDefinition {
    /// The plan of a query, whose indexes this type has.
    func plan(of filter: Query.Filter?, in order: [Query.Order]) -> QueryPlan {
        let choice = filter.flatMap { self.choice(for: $0) }
        guard let first = order.first else {
            guard let choice else { return .everything }
            return .scans(choice.scans)
        }
        let index = RecordIndex(name, first.field, .values)
        let needed: FieldIndex = first.place == nil ? .sortable : .queryable
        guard has(index), fields[first.field]?.indexes.contains(needed) == true else {
            return .ordered(by: nil, narrowed: choice?.scans)
        }
        let permitted = filter.flatMap { self.ranges($0, index) } ?? [.all]
        return .ordered(by: IndexScan(index: index, ranges: permitted), narrowed: choice?.scans)
    }

    /// The scans for a condition, and how many records they are expected to have: a smaller number is better.
    private struct Choice {
        var scans: [IndexScan]
        var cost: Int
    }

    /// Whether the entries of an index are complete.
    private func has(_ index: RecordIndex) -> Bool {
        !unfilled.contains(index.field) && indexes(over: index.field).contains(index)
    }

    private func choice(for filter: Query.Filter) -> Choice? {
        switch filter {
        case .not, .words: return nil
        case .within(let field, let radius, let place):
            return choice(field, .values, PlaceCell.numbers(within: radius.value, of: place.coordinate), cost: 1)
        case .compare(let field, let comparison, let value): return choice(field, comparison, value)
        case .any(let filters):
            var all = Choice(scans: [], cost: 0)
            for filter in filters {
                guard let choice = choice(for: filter) else { return nil }
                for scan in choice.scans { all.scans.add(scan) }
                all.cost = max(all.cost, choice.cost)
            }
            return all
        case .all(let filters):
            guard var best = filters.compactMap({ choice(for: $0) }).min(by: { $0.cost < $1.cost }) else { return nil }
            if best.scans.count == 1, let ranges = ranges(filter, best.scans[0].index) {
                best.scans[0].ranges = ranges
            }
            return best
        }
    }

    /// The ranges of one index that a condition permits, as far as that follows from comparisons that all have to be true;
    /// nil if it permits all.
    private func ranges(_ filter: Query.Filter, _ index: RecordIndex) -> [KeyRange]? {
        // A list has several keys, each of which may fulfil another comparison.
        guard let shape = fields[index.field]?.shape, !shape.isList, index.content == .values else { return nil }
        guard case .all(let filters) = filter else {
            guard let scans = choice(for: filter)?.scans, scans.count == 1, scans[0].index == index else { return nil }
            return scans[0].ranges
        }
        let all = filters.compactMap { ranges($0, index) }
        return all.first.map { first in all.dropFirst().reduce(first) { $0.intersection($1) } }
    }

    private func choice(_ field: FieldName, _ comparison: Query.Comparison, _ value: FieldValue) -> Choice? {
        if comparison == .containsWords {
            // The longest word is the rarest one, as a rule.
            guard let word = Words.words(of: value).longestFirst.first else { return nil }
            return choice(field, .words, [KeyRange(IndexKey(word: word)), KeyRange(.overflow)], cost: 1)
        }
        if comparison == .isIn, case .list(let list) = value {
            return choice(field, .values, list.values.compactMap { IndexKey($0) }.map { KeyRange($0) }, cost: 1)
        }
        guard let key = IndexKey(value) else { return nil }
        switch comparison {
        case .equal: return choice(field, .values, [KeyRange(key)], cost: 0)
        case .contains: return choice(field, .values, [KeyRange(key), KeyRange(.overflow)], cost: 1)
        case .beginsWith: return choice(field, .values, [KeyRange(key, before: key.end)], cost: 2)
        // The key itself is in the range, because it may stand for several values.
        case .less, .lessOrEqual: return choice(field, .values, [KeyRange(key.first, before: key.next)], cost: 3)
        case .greater, .greaterOrEqual: return choice(field, .values, [KeyRange(key, before: key.first.end)], cost: 3)
        case .isIn, .containsWords: return nil
        }
    }

    private func choice(
        _ field: FieldName, _ content: RecordIndex.Content, _ ranges: [KeyRange], cost: Int
    ) -> Choice? {
        let index = RecordIndex(name, field, content)
        guard has(index) else { return nil }
        return Choice(scans: [IndexScan(index: index, ranges: ranges.joined)], cost: cost)
    }
}

extension [IndexScan] {
    /// Adds the ranges of a scan.
    fileprivate mutating func add(_ scan: IndexScan) {
        if let index = firstIndex(where: { $0.index == scan.index }) {
            self[index].ranges = (self[index].ranges + scan.ranges).joined
        } else {
            append(scan)
        }
    }
}
