import HTTPServing
import Records

extension HubAPI {
    /// Answers a request about the team of a container.
    func team(
        _ request: ServedRequest, _ name: ContainerName, _ account: AccountID?, _ caller: Caller
    ) throws(HubFailure) -> HubAnswer {
        let actor = try actor(caller)
        guard let account else {
            return try permitted(actor, name) { () throws(EngineFailure) in
                try store.team(of: name, by: actor)
            } body: {
                HubAnswer(HTTPReply(200, json: $0.json))
            }
        }
        let change =
            request.method == "DELETE"
            ? TeamChange.remove(account)
            : try read { () throws(FormatError) in
                try TeamChange(of: account, json: request.body, limits: store.rules.limits)
            }
        return try permitted(actor, name) { () throws(EngineFailure) in
            try store.change(teamOf: name, change, by: actor)
        } body: { team in
            var answer = HubAnswer(HTTPReply(200, json: team.json))
            answer.containerEvent = .teamChanged(name, change, by: actor)
            return answer
        }
    }

    /// Answers a request about the schema of a container.
    func schema(
        _ request: ServedRequest, _ container: Container, _ caller: Caller
    ) throws(HubFailure) -> HubAnswer {
        let actor = try actor(caller)
        let name = container.name
        guard request.method != "GET" else {
            return try permitted(actor, name) { () throws(EngineFailure) in
                try store.schema(of: container, by: actor)
            } body: {
                HubAnswer(HTTPReply(200, json: $0.json))
            }
        }
        if container.environment == .development {
            let schema = try read { () throws(FormatError) in
                try Schema(json: request.body, limits: store.rules.limits)
            }
            return try changed(actor, name) { () throws(EngineFailure) in
                try store.replaceSchema(of: name, by: schema, actor: actor)
            } event: {
                .schemaReplaced(name, $0, by: actor)
            }
        }
        let deployment = try read { () throws(FormatError) in try SchemaDeployment(json: request.body) }
        return try changed(actor, name) { () throws(EngineFailure) in
            try store.deploySchema(of: name, changingRoles: deployment.changesRoles, actor: actor)
        } event: {
            .schemaDeployed(name, $0, by: actor)
        }
    }

    /// What a deployment would change.
    func schemaDifferences(_ name: ContainerName, _ caller: Caller) throws(HubFailure) -> HubAnswer {
        let actor = try actor(caller)
        return try permitted(actor, name) { () throws(EngineFailure) in
            try store.schemaDifferences(of: name, by: actor)
        } body: {
            HubAnswer(HTTPReply(200, json: $0.json))
        }
    }

    /// What the log says about a save that would change the schema of development, and may not.
    func refusedSave(_ outcomes: [RecordOutcome], in container: Container, by caller: Caller) -> ContainerEvent? {
        guard container.environment == .development, let account = caller.account else { return nil }
        for case .notInSchema(let violation) in outcomes where violation.isAddition {
            return .saveRefused(account, container.name)
        }
        return nil
    }

    private func actor(_ caller: Caller) throws(HubFailure) -> TeamActor {
        guard let account = caller.account else { throw .refused(.missingToken) }
        return .account(account)
    }

    private func permitted<Value>(
        _ actor: TeamActor, _ name: ContainerName,
        _ perform: () throws(EngineFailure) -> Result<Value, TeamRefusal>, body: (Value) -> HubAnswer
    ) throws(HubFailure) -> HubAnswer {
        switch try engine(perform) {
        case .success(let value): return body(value)
        case .failure(let refusal): return refused(actor, name, refusal)
        }
    }

    private func changed(
        _ actor: TeamActor, _ name: ContainerName,
        _ perform: () throws(EngineFailure) -> Result<[SchemaDifference], SchemaRefusal>,
        event: ([SchemaDifference]) -> ContainerEvent
    ) throws(HubFailure) -> HubAnswer {
        switch try engine(perform) {
        case .success(let differences):
            var answer = HubAnswer(HTTPReply(200, json: differences.json))
            answer.containerEvent = event(differences)
            return answer
        case .failure(.notPermitted(let refusal)): return refused(actor, name, refusal)
        case .failure(let refusal): throw .refused(HubError(refusal, in: name))
        }
    }

    private func refused(_ actor: TeamActor, _ name: ContainerName, _ refusal: TeamRefusal) -> HubAnswer {
        var answer = HubAnswer(HubError(refusal, in: name).reply)
        answer.containerEvent = .refused(actor, refusal, name)
        return answer
    }
}

extension SchemaViolation {
    /// Whether a save would add something to the schema.
    fileprivate var isAddition: Bool {
        switch self {
        case .unknownType, .unknownField: true
        case .otherShape, .indexMissing, .notSearchable: false
        }
    }
}
