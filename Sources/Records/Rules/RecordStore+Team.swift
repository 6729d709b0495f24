extension RecordStore {
    /// The team of a container, for one of its members or the administrator.
    public func team(
        of name: ContainerName, by actor: TeamActor
    ) throws(EngineFailure) -> Result<Team, TeamRefusal> {
        let team = try engine.read { (transaction) throws(EngineFailure) in try self.team(of: name, &transaction) }
        if let refusal = team.refusalToRead(of: actor) { return .failure(refusal) }
        return .success(team)
    }

    /// Changes the team of a container, and returns it as it is from then on.
    public func change(
        teamOf name: ContainerName, _ change: TeamChange, by actor: TeamActor
    ) throws(EngineFailure) -> Result<Team, TeamRefusal> {
        try engine.write { (transaction) throws(EngineFailure) in
            try transaction.lock(.team(name))
            let old = try team(of: name, &transaction)
            var new = old
            if let refusal = new.perform(change, by: actor, most: rules.limits.members) { return .failure(refusal) }
            for (account, member) in new.members.sorted(by: { $0.key < $1.key }) where old.members[account] != member {
                // A right of an account that does not exist would be that of whoever gets the name later.
                let isKnown = old.members[account] == nil ? try exists(account, &transaction) : true
                guard isKnown else { return .failure(.unknownAccount(account)) }
                try transaction.put(member, in: name)
            }
            for account in old.members.keys.sorted() where new.members[account] == nil {
                try transaction.removeMember(account, of: name)
            }
            return .success(new)
        }
    }

    /// Why an actor may not use a right in a container; nil if it may.
    func refusal(
        of actor: TeamActor, _ right: TeamRight, in name: ContainerName, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> TeamRefusal? {
        // Nothing is read for the administrator.
        guard case .account = actor else { return nil }
        return try team(of: name, &transaction).refusal(of: actor, right)
    }

    /// Why an actor may not read what all of a team may; nil if it may.
    func refusalToRead(
        teamOf name: ContainerName, _ actor: TeamActor, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> TeamRefusal? {
        guard case .account = actor else { return nil }
        return try team(of: name, &transaction).refusalToRead(of: actor)
    }

    /// Whether a caller may change the schema of a container's development by a save.
    func mayExtendSchema(
        of name: ContainerName, _ caller: Caller, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Bool {
        try team(of: name, &transaction).mayExtendSchema(caller.account)
    }

    private func team(
        of name: ContainerName, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Team { Team(try transaction.team(of: name)) }

    private func exists(
        _ account: AccountID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Bool {
        if try !transaction.devices(of: account).isEmpty { return true }
        return try !transaction.invitations(to: account).isEmpty
    }
}
