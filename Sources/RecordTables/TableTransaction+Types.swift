import Records

extension TableTransaction {
    /// The definition of a type; nil if the container has no such type.
    public func type(_ name: RecordType, in container: Container) throws(EngineFailure) -> TypeDefinition? {
        if let known = cache?.types[ReadAhead.TypeName(name, in: container)] { return known }
        return try first(.readType, [container.column, name.column]) { (row) throws(TableError) in
            try TypeDefinition(row)
        }
    }

    /// Whether the container has types.
    public func hasTypes(_ container: Container) throws(EngineFailure) -> Bool {
        if let known = cache?.containers[container] { return known }
        return try first(.findType, [container.column]) { (_) throws(TableError) in true } ?? false
    }

    /// The types of a container, in any order.
    public func types(of container: Container) throws(EngineFailure) -> [TypeDefinition] {
        try all(.readTypes, [container.column]) { (row) throws(TableError) in try TypeDefinition(row) }
    }

    /// Stores a type, instead of the one with its name.
    public func put(_ type: TypeDefinition, in container: Container) throws(EngineFailure) {
        cache?.types[ReadAhead.TypeName(type.name, in: container)] = .some(type)
        cache?.containers[container] = true
        try run(.storeType, [container.column, type.name.column, .blob(type.json), type.unfilledColumn])
    }

    /// The containers and types with fields whose indexes are not filled, at most so many.
    public func unfilledTypes(
        limit: Int
    ) throws(EngineFailure) -> [(container: Container, type: TypeDefinition)] {
        try all(.readUnfilledTypes, [.integer(Int64(limit))]) { (row) throws(TableError) in
            (container: try Container(column: row.text(2)), type: try TypeDefinition(row))
        }
    }

    /// Removes a type.
    public func removeType(_ name: RecordType, of container: Container) throws(EngineFailure) {
        cache?.types[ReadAhead.TypeName(name, in: container)] = .some(nil)
        cache?.containers.removeValue(forKey: container)
        try run(.removeType, [container.column, name.column])
    }
}
