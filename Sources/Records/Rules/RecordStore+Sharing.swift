import Location

extension RecordStore {
    /// Changes with whom a zone is shared.
    ///
    /// An account that has accepted sees the zone in its shared database. An account from which the zone was withdrawn is
    /// refused from the next transaction on, whatever tokens it has, and its shared database lists the zone as deleted.
    public func modify(
        _ request: ModifySharing, by caller: Caller, key: RequestKey, at now: UTCTime
    ) throws(EngineFailure) -> Reply<ModifySharingAnswer> {
        guard case .device(let device, let account) = caller else { return Reply(.refused(.notAuthenticated)) }
        if let refusal = request.refusal { return Reply(.refused(refusal)) }
        let maker = PushTarget(request.zone.container, account, device)
        return try once(AnswerRow.Key(maker, key), request.fingerprint, at: now) {
            (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(request.zone))
            switch request.action {
            case .invite(let other, let permission):
                guard account == request.zone.owner else { return (.refused(.notPermitted), []) }
                return (try invite(other, permission, to: request.zone, &transaction), [])
            case .withdraw(let other):
                guard account == request.zone.owner else { return (.refused(.notPermitted), []) }
                return (.done, try remove(other, from: request.zone, by: maker, at: now, &transaction))
            case .accept: return try accept(request.zone, by: maker, &transaction)
            case .leave: return (.done, try remove(account, from: request.zone, by: maker, at: now, &transaction))
            }
        }
    }

    private func invite(
        _ account: AccountID, _ permission: Participant.Permission, to zone: ZoneID,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> ModifySharingAnswer {
        guard try transaction.zone(zone) != nil else {
            let feed = try transaction.feedRow(of: zone, in: zone.database)
            return .refused(.zoneNotFound(feed?.deletion?.reason))
        }
        let participants = try transaction.participants(of: zone)
        var participant = Participant(account, permission)
        if let known = participants.first(where: { $0.account == account }) {
            participant.hasAccepted = known.hasAccepted
        } else if let refusal = rules.limits.refusal(participants.count + 1, .participants) {
            return .refused(refusal)
        }
        try transaction.put(participant, of: zone)
        return .done
    }

    private func accept(
        _ zone: ZoneID, by maker: PushTarget, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> (answer: ModifySharingAnswer, pushes: [Push]) {
        guard try transaction.zone(zone) != nil, var participant = try transaction.participant(maker.account, of: zone)
        else { return (.refused(.notPermitted), []) }
        guard !participant.hasAccepted else { return (.done, []) }
        participant.hasAccepted = true
        try transaction.put(participant, of: zone)
        let change = ZoneChange(zone, .changed)
        let database = DatabaseID(zone.container, .shared(maker.account))
        return (.done, try announce([database: [change]], by: maker, &transaction))
    }

    private func remove(
        _ account: AccountID, from zone: ZoneID, by maker: PushTarget, at now: UTCTime,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        guard let participant = try transaction.participant(account, of: zone) else { return [] }
        try transaction.removeParticipant(account, of: zone)
        guard participant.hasAccepted else { return [] }
        let change = ZoneChange(zone, .deleted(.withdrawn, now))
        let database = DatabaseID(zone.container, .shared(account))
        return try announce([database: [change]], by: maker, &transaction)
    }

    /// The accounts with which the caller's zone is shared, or may be once they accept.
    public func participants(of zone: ZoneID, by caller: Caller) throws(EngineFailure) -> Answer<[Participant]> {
        try engine.read { (transaction) throws(EngineFailure) in
            switch try open(zone, caller, &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let (_, access)) where access != .owner: return .failure(.notPermitted)
            case .success: return .success(try transaction.participants(of: zone).sorted { $0.account < $1.account })
            }
        }
    }

    /// The zones of a container that are shared with the caller, or that the caller is invited to, and as what.
    public func sharedZones(in container: Container, by caller: Caller) throws(EngineFailure) -> Answer<[SharedZone]> {
        guard let account = caller.account else { return .failure(.notAuthenticated) }
        return .success(
            try engine.read { (transaction) throws(EngineFailure) in
                try transaction.zones(sharedWith: account, in: container)
                    .map { SharedZone($0.zone, $0.participant.permission, hasAccepted: $0.participant.hasAccepted) }
                    .sorted { $0.zone < $1.zone }
            })
    }
}
