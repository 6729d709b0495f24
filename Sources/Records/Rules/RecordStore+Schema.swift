/// Why a schema is not changed.
public enum SchemaRefusal: Error, Equatable, Sendable {
    /// These differences would take something from apps that use production.
    case notAdditions([SchemaDifference])
    /// More types than a limit permits.
    case limitExceeded(Limits.Subject, most: Int)
    /// The account may not do this with the container.
    case notPermitted(TeamRefusal)
}

extension RecordStore {
    /// The types of a container.
    public func schema(of container: Container) throws(EngineFailure) -> Schema {
        try engine.read { (transaction) throws(EngineFailure) in try schema(of: container, &transaction) }
    }

    /// The types of a container, for a member of its team: those of development for each, those of production for who may edit
    /// production.
    public func schema(
        of container: Container, by actor: TeamActor
    ) throws(EngineFailure) -> Result<Schema, TeamRefusal> {
        try engine.read { (transaction) throws(EngineFailure) in
            if let refusal = try refusal(of: actor, toRead: container, &transaction) { return .failure(refusal) }
            return .success(try schema(of: container, &transaction))
        }
    }

    /// What a deployment would change in production.
    public func schemaDifferences(
        of name: ContainerName, by actor: TeamActor = .administrator
    ) throws(EngineFailure) -> Result<[SchemaDifference], TeamRefusal> {
        try engine.read { (transaction) throws(EngineFailure) in
            let production = Container(name, .production)
            if let refusal = try refusal(of: actor, toRead: production, &transaction) { return .failure(refusal) }
            let new = try schema(of: Container(name, .development), &transaction)
            return .success(try schema(of: production, &transaction).differences(to: new))
        }
    }

    private func refusal(
        of actor: TeamActor, toRead container: Container, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> TeamRefusal? {
        guard container.environment == .development else {
            return try refusal(of: actor, .editProduction, in: container.name, &transaction)
        }
        return try refusalToRead(teamOf: container.name, actor, &transaction)
    }

    private func schema(
        of container: Container, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Schema {
        Schema(
            try transaction.types(of: container).map { type in
                var type = type
                type.unfilled = []
                return type
            })
    }

    /// Replaces the schema of a container's development, and returns what that has changed. What production has must remain,
    /// because it could not be deployed otherwise; only roles may differ. Records stay as they are.
    public func replaceSchema(
        of name: ContainerName, by schema: Schema, actor: TeamActor = .administrator
    ) throws(EngineFailure) -> Result<[SchemaDifference], SchemaRefusal> {
        if schema.types.count > rules.limits.types { return .failure(.limitExceeded(.types, most: rules.limits.types)) }
        return try engine.write { (transaction) throws(EngineFailure) in
            let container = Container(name, .development)
            try transaction.lock(.team(name))
            if let refusal = try refusal(of: actor, .editDevelopment, in: name, &transaction) {
                return .failure(.notPermitted(refusal))
            }
            try transaction.lock(.schema(container))
            let production = Schema(try transaction.types(of: Container(name, .production)))
            let lost = production.differences(to: schema).filter { !$0.isAddition && !$0.isAboutRoles }
            guard lost.isEmpty else { return .failure(.notAdditions(lost)) }
            let old = Schema(try transaction.types(of: container))
            return .success(try replace(old, by: schema, in: container, &transaction))
        }
    }

    /// Deploys the schema of a container's development to production, and returns what that has changed. Only additions are
    /// deployed, and other roles if the caller says so: whatever would take something from an app is refused.
    public func deploySchema(
        of name: ContainerName, changingRoles: Bool = false, actor: TeamActor = .administrator
    ) throws(EngineFailure) -> Result<[SchemaDifference], SchemaRefusal> {
        try engine.write { (transaction) throws(EngineFailure) in
            let development = Container(name, .development)
            let production = Container(name, .production)
            try transaction.lock(.team(name))
            if let refusal = try refusal(of: actor, .editProduction, in: name, &transaction) {
                return .failure(.notPermitted(refusal))
            }
            try transaction.lock(.schema(development))
            try transaction.lock(.schema(production))
            let new = Schema(try transaction.types(of: development))
            let old = Schema(try transaction.types(of: production))
            let refused = old.differences(to: new).filter { difference in
                if case .rolesChanged(let type, _) = difference { return !changingRoles && old.types[type] != nil }
                return !difference.isAddition
            }
            guard refused.isEmpty else { return .failure(.notAdditions(refused)) }
            return .success(try replace(old, by: new, in: production, &transaction))
        }
    }

    private func replace(
        _ old: Schema, by new: Schema, in container: Container, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [SchemaDifference] {
        for type in new.types.values {
            let type = type.filled(as: old.types[type.name])
            if old.types[type.name] != type { try transaction.put(type, in: container) }
        }
        for type in old.types.values {
            if new.types[type.name] == nil { try transaction.removeType(type.name, of: container) }
            for index in type.fields.keys.sorted().flatMap({ type.indexes(over: $0) }) {
                let remains = new.types[type.name]?.indexes(over: index.field).contains(index) ?? false
                if !remains { try transaction.removeEntries(of: index, in: container) }
            }
        }
        return old.differences(to: new)
    }

    /// What a request about records of these types needs to know of the schema.
    /// - Parameter isFrozen: Whether the caller may not add to it, in development.
    func schema(
        for types: Set<RecordType>, in container: Container, isFrozen: Bool = false,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> SchemaView {
        var found: [RecordType: TypeDefinition] = [:]
        for name in types { found[name] = try transaction.type(name, in: container) }
        // Only production without types accepts what it does not know.
        let isEmpty =
            container.environment == .production && found.isEmpty ? try !transaction.hasTypes(container) : false
        return SchemaView(container.environment, found, isEmpty: isEmpty, isFrozen: isFrozen)
    }

    /// Stores types that saves have made or extended.
    func store(
        _ types: [TypeDefinition], in container: Container, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Refusal? {
        for type in types {
            if let refusal = rules.limits.refusal(type.fields.count, .fields) { return refusal }
        }
        let names = Set(try transaction.types(of: container).map(\.name)).union(types.map(\.name))
        if let refusal = rules.limits.refusal(names.count, .types) { return refusal }
        for type in types { try transaction.put(type, in: container) }
        return nil
    }
}
