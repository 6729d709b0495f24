/// How far new indexes of a container are filled with the records from before.
public struct IndexFilling: Equatable, Sendable {
    /// The container.
    public let container: Container
    /// The types with indexes to fill, as they were at the beginning.
    let types: [RecordType: TypeDefinition]
    /// The zone in progress; nil at the beginning.
    var zone: ZoneID?
    /// The counter of the last record of the zone that was added.
    var counter: UInt64 = 0

    init(_ container: Container, _ types: [TypeDefinition]) {
        self.container = container
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The entries of a record in the indexes that are filled.
    fileprivate func entries(of record: Record) -> Set<IndexEntry> {
        guard let type = types[record.type] else { return [] }
        return type.entries(of: record, over: type.unfilled)
    }
}

extension RecordStore {
    /// Fills new indexes a part at a time, each in a transaction of its own. Call this with what it has returned until it
    /// returns nil.
    ///
    /// From the transaction on that makes an index, each save maintains it. What was saved before is added here, under the lock
    /// of its zone, and queries use the index once all of it is there; until then they evaluate all records. Several hubs may do
    /// this at the same time, and one that stops begins again: an entry that is there already stays.
    /// - Parameter limit: The most records of a part; nil for as many as suit the engine.
    public func fillIndexes(_ filling: IndexFilling?, limit: Int? = nil) throws(EngineFailure) -> IndexFilling? {
        guard var filling else {
            let unfilled = try engine.read { (transaction) throws(EngineFailure) in
                try transaction.unfilledTypes(limit: rules.limits.types)
            }
            guard let container = unfilled.first?.container else { return nil }
            return IndexFilling(container, unfilled.filter { $0.container == container }.map(\.type))
        }
        if let zone = filling.zone {
            if let counter = try fill(filling, zone, limit: limit ?? engine.recordsOfFilling) {
                filling.counter = counter
                return filling
            }
        }
        filling.zone = try engine.read { (transaction) throws(EngineFailure) in
            try transaction.zone(of: filling.container, after: filling.zone)
        }
        filling.counter = 0
        guard filling.zone == nil else { return filling }
        try finish(filling)
        // Another schema may have been stored meanwhile.
        return try fillIndexes(nil, limit: limit)
    }

    /// The most entries of a part, apart from those of its last record: they are in memory.
    private static var entriesOfFilling: Int { 100_000 }

    /// Adds records of a zone to the indexes. Returns the counter of the last one; nil if there are no more.
    private func fill(
        _ filling: IndexFilling, _ zone: ZoneID, limit: Int
    ) throws(EngineFailure) -> UInt64? {
        try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(zone))
            var entries: [IndexEntry] = []
            var room = PageRoom(records: limit, rules.limits)
            var last: UInt64?
            var isMore = false
            try transaction.forEachChange(in: zone, after: filling.counter, deletedAfter: .max) { row in
                guard let record = row.record else { return true }
                guard entries.count < Self.entriesOfFilling, room.admit(record.size) else {
                    isMore = true
                    return false
                }
                last = row.counter
                entries += filling.entries(of: record)
                return true
            }
            if !entries.isEmpty { try transaction.changeEntries(removing: [], adding: entries.sorted(), in: zone) }
            return isMore ? last : nil
        }
    }

    /// Stores that queries may use the indexes, unless they have become others meanwhile.
    private func finish(_ filling: IndexFilling) throws(EngineFailure) {
        try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.schema(filling.container))
            for old in filling.types.values.sorted(by: { $0.name < $1.name }) {
                guard var type = try transaction.type(old.name, in: filling.container) else { continue }
                type.unfilled = type.unfilled.filter { field in
                    !old.unfilled.contains(field) || type.fields[field]?.indexes != old.fields[field]?.indexes
                }
                try transaction.put(type, in: filling.container)
            }
        }
    }
}

extension TypeDefinition {
    /// The definition with the fields whose indexes are to be filled, because another one before had not all of them.
    func filled(as old: TypeDefinition?) -> TypeDefinition {
        var type = self
        type.unfilled = Set(
            fields.filter { field, definition in
                guard !definition.indexes.isEmpty else { return false }
                let before = old?.fields[field]?.indexes ?? []
                return !definition.indexes.isSubset(of: before) || old?.unfilled.contains(field) == true
            }.keys)
        return type
    }
}
