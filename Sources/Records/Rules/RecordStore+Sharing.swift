import Location

extension RecordStore {
    /// Changes with whom a zone is shared, or a record with all that are below it.
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
                return (
                    try invite(Participant(other, permission, of: request.root), to: request.zone, &transaction), []
                )
            case .withdraw(let other):
                guard account == request.zone.owner else { return (.refused(.notPermitted), []) }
                return (.done, try remove(other, request, by: maker, at: now, &transaction))
            case .accept: return try accept(request, by: maker, &transaction)
            case .leave: return (.done, try remove(account, request, by: maker, at: now, &transaction))
            }
        }
    }

    private func invite(
        _ participant: Participant, to zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> ModifySharingAnswer {
        guard try transaction.zone(zone) != nil else {
            let feed = try transaction.feedRow(of: zone, in: zone.database)
            return .refused(.zoneNotFound(feed?.deletion?.reason))
        }
        if let root = participant.root, try transaction.records([root], in: zone).first?.record == nil {
            return .refused(.unknownItem)
        }
        var participant = participant
        let all = try transaction.participants(of: zone)
        let participants = all.filter { $0.root == participant.root }
        if let known = participants.first(where: { $0.account == participant.account }) {
            participant.hasAccepted = known.hasAccepted
        } else {
            if let refusal = rules.limits.refusal(participants.count + 1, .participants) { return .refused(refusal) }
            let others = all.count { $0.root != nil }
            if participant.root != nil, let refusal = rules.limits.refusal(others + 1, .recordParticipants) {
                return .refused(refusal)
            }
        }
        try transaction.put(participant, of: zone)
        return .done
    }

    private func accept(
        _ request: ModifySharing, by maker: PushTarget, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> (answer: ModifySharingAnswer, pushes: [Push]) {
        let zone = request.zone
        let invitations = try transaction.participants(maker.account, of: zone)
        guard var row = try transaction.zone(zone),
            var participant = invitations.first(where: { $0.root == request.root })
        else { return (.refused(.notPermitted), []) }
        guard !participant.hasAccepted else { return (.done, []) }
        participant.hasAccepted = true
        try transaction.put(participant, of: zone)
        if request.root != nil {
            // No token is valid from when the same records were shared before.
            row.hierarchy += 1
            try transaction.put(row, of: zone)
        }
        let change = ZoneChange(zone, .changed)
        let database = DatabaseID(zone.container, .shared(maker.account))
        return (.done, try announce([database: [change]], by: maker, &transaction))
    }

    private func remove(
        _ account: AccountID, _ request: ModifySharing, by maker: PushTarget, at now: UTCTime,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        let zone = request.zone
        let shares = try transaction.participants(account, of: zone)
        guard let participant = shares.first(where: { $0.root == request.root }) else { return [] }
        try transaction.removeParticipant(account, root: request.root, of: zone)
        guard participant.hasAccepted else { return [] }
        // What else of the zone is shared with the account stays, and is fetched again.
        let isLeft = shares.contains { $0.root != request.root && $0.hasAccepted }
        let change = ZoneChange(zone, isLeft ? .changed : .deleted(.withdrawn, now))
        let database = DatabaseID(zone.container, .shared(account))
        return try announce([database: [change]], by: maker, &transaction)
    }

    /// The accounts with which the caller's zone or a record of it is shared, or may be once they accept.
    public func participants(of zone: ZoneID, by caller: Caller) throws(EngineFailure) -> Answer<[Participant]> {
        try engine.read { (transaction) throws(EngineFailure) in
            switch try open(zone, caller, &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let (_, access)) where access != .owner: return .failure(.notPermitted)
            case .success:
                return .success(
                    try transaction.participants(of: zone).sorted { left, right in
                        (left.account, left.root?.text ?? "") < (right.account, right.root?.text ?? "")
                    })
            }
        }
    }

    /// The zones of a container, and records in them, that are shared with the caller, or that the caller is invited to, and as what.
    public func sharedZones(in container: Container, by caller: Caller) throws(EngineFailure) -> Answer<[SharedZone]> {
        guard let account = caller.account else { return .failure(.notAuthenticated) }
        return .success(
            try engine.read { (transaction) throws(EngineFailure) in
                try transaction.zones(sharedWith: account, in: container)
                    .map { zone, participant in
                        SharedZone(
                            zone, participant.permission, hasAccepted: participant.hasAccepted, of: participant.root)
                    }
                    .sorted { ($0.zone, $0.root?.text ?? "") < ($1.zone, $1.root?.text ?? "") }
            })
    }
}
