import Location
import Records

/// The types, teams and indexes of containers.
extension MemoryTransaction {
    func changeEntries(
        removing: [IndexEntry], adding: [IndexEntry], in zone: ZoneID
    ) throws(EngineFailure) {
        let entries = (engine.tables.entries[zone] ?? []).subtracting(removing).union(adding)
        engine.change(\.entries, zone, entries.isEmpty ? nil : entries)
    }

    func forEachEntry(
        of index: RecordIndex, in zone: ZoneID, after start: EntryPosition, until end: IndexKey, descending: Bool,
        _ body: (IndexKey, Record) -> Bool
    ) throws(EngineFailure) {
        func isAfter(_ entry: IndexEntry) -> Bool {
            if entry.key != start.key { return descending ? entry.key < start.key : entry.key > start.key }
            guard let record = start.record else { return !descending }
            return descending ? entry.record < record : entry.record > record
        }
        let entries = (engine.tables.entries[zone] ?? []).filter { entry in
            entry.index == index && isAfter(entry) && (descending ? entry.key >= end : entry.key < end)
        }.sorted()
        for entry in descending ? entries.reversed() : entries {
            guard let record = engine.tables.records[zone]?[entry.record]?.record else { continue }
            guard body(entry.key, record) else { return }
        }
    }

    func removeEntries(of index: RecordIndex, in container: Container) throws(EngineFailure) {
        for (zone, entries) in engine.tables.entries where zone.container == container {
            let rest = entries.filter { $0.index != index }
            engine.change(\.entries, zone, rest.isEmpty ? nil : rest)
        }
    }

    func unfilledTypes(limit: Int) throws(EngineFailure) -> [(container: Container, type: TypeDefinition)] {
        var found: [(container: Container, type: TypeDefinition)] = []
        for (container, types) in engine.tables.types {
            for type in types.values where !type.unfilled.isEmpty { found.append((container, type)) }
        }
        func place(_ container: Container) -> String { "\(container.environment.rawValue)/\(container.name)" }
        found.sort { (place($0.container), $0.type.name) < (place($1.container), $1.type.name) }
        return Array(found.prefix(limit))
    }

    func zone(of container: Container, after last: ZoneID?) throws(EngineFailure) -> ZoneID? {
        func place(_ zone: ZoneID) -> (String, String) { (zone.owner?.text ?? "", zone.name.text) }
        return engine.tables.zones.keys.filter { zone in
            zone.container == container && last.map { place($0) < place(zone) } ?? true
        }.min { place($0) < place($1) }
    }

    func type(_ name: RecordType, in container: Container) throws(EngineFailure) -> TypeDefinition? {
        engine.tables.types[container]?[name]
    }

    func hasTypes(_ container: Container) throws(EngineFailure) -> Bool { engine.tables.types[container] != nil }

    func types(of container: Container) throws(EngineFailure) -> [TypeDefinition] {
        Array((engine.tables.types[container] ?? [:]).values)
    }

    func put(_ type: TypeDefinition, in container: Container) throws(EngineFailure) {
        engine.change(\.types[orEmpty: container], type.name, type)
    }

    func removeType(_ name: RecordType, of container: Container) throws(EngineFailure) {
        engine.change(\.types[orEmpty: container], name, nil)
    }

    func team(of container: ContainerName) throws(EngineFailure) -> [TeamMember] {
        Array((engine.tables.teams[container] ?? [:]).values)
    }

    func put(_ member: TeamMember, in container: ContainerName) throws(EngineFailure) {
        engine.change(\.teams[orEmpty: container], member.account, member)
    }

    func removeMember(_ account: AccountID, of container: ContainerName) throws(EngineFailure) {
        engine.change(\.teams[orEmpty: container], account, nil)
    }
}
