import Location
import Records

/// The types, teams and indexes of containers.
extension TestTransaction {
    mutating func type(_ name: RecordType, in container: Container) throws(EngineFailure) -> TypeDefinition? {
        try engine.call("read a type")
        return try inner.type(name, in: container)
    }

    mutating func hasTypes(_ container: Container) throws(EngineFailure) -> Bool {
        try engine.call("find a type")
        return try inner.hasTypes(container)
    }

    mutating func types(of container: Container) throws(EngineFailure) -> [TypeDefinition] {
        try engine.call("read types")
        return try inner.types(of: container)
    }

    mutating func put(_ type: TypeDefinition, in container: Container) throws(EngineFailure) {
        try write("store a type", under: .schema(container))
        try inner.put(type, in: container)
    }

    mutating func removeType(_ name: RecordType, of container: Container) throws(EngineFailure) {
        try write("remove a type", under: .schema(container))
        try inner.removeType(name, of: container)
    }

    mutating func team(of container: ContainerName) throws(EngineFailure) -> [TeamMember] {
        try engine.call("read a team")
        return try inner.team(of: container)
    }

    mutating func put(_ member: TeamMember, in container: ContainerName) throws(EngineFailure) {
        try write("store a member", under: .team(container))
        try inner.put(member, in: container)
    }

    mutating func removeMember(_ account: AccountID, of container: ContainerName) throws(EngineFailure) {
        try write("remove a member", under: .team(container))
        try inner.removeMember(account, of: container)
    }

    mutating func unfilledTypes(
        limit: Int
    ) throws(EngineFailure) -> [(container: Container, type: TypeDefinition)] {
        try engine.call("read types")
        return try inner.unfilledTypes(limit: limit)
    }

    mutating func zone(of container: Container, after last: ZoneID?) throws(EngineFailure) -> ZoneID? {
        try engine.call("read zones")
        return try inner.zone(of: container, after: last)
    }

    mutating func changeEntries(
        removing: [IndexEntry], adding: [IndexEntry], in zone: ZoneID
    ) throws(EngineFailure) {
        try write("change an index", under: .zone(zone))
        try inner.changeEntries(removing: removing, adding: adding, in: zone)
    }

    mutating func forEachEntry(
        of index: RecordIndex, in zone: ZoneID, after start: EntryPosition, until end: IndexKey, descending: Bool,
        _ body: (IndexKey, Record) -> Bool
    ) throws(EngineFailure) {
        let engine = engine
        try engine.call("read an index")
        try inner.forEachEntry(of: index, in: zone, after: start, until: end, descending: descending) { key, record in
            engine.foundByIndex += 1
            return body(key, record)
        }
    }

    mutating func removeEntries(of index: RecordIndex, in container: Container) throws(EngineFailure) {
        try write("remove an index", under: .schema(container))
        try inner.removeEntries(of: index, in: container)
    }
}
