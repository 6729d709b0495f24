import Location

extension RecordStore {
    /// Saves and deletes records of a zone.
    public func modify(
        _ request: ModifyRecords, by caller: Caller, key: RequestKey, at now: UTCTime
    ) throws(EngineFailure) -> Reply<ModifyRecordsAnswer> {
        guard case .device(let device, let account) = caller else { return Reply(.refused(.notAuthenticated)) }
        if let refusal = request.refusal(rules.limits) { return Reply(.refused(refusal)) }
        let target = PushTarget(request.zone.container, account, device)
        let stamp = Record.Stamp(now, account, device)
        return try once(
            AnswerRow.Key(target, key), request.fingerprint, at: now,
            reading: readAhead(for: request, by: caller, key: key)
        ) {
            (transaction) throws(EngineFailure) in
            try transaction.lock(.zone(request.zone))
            switch try open(request.zone, caller, &transaction) {
            case .failure(let refusal): return (.refused(refusal), [])
            case .success(let (_, access)) where !access.mayWrite: return (.refused(.notPermitted), [])
            case .success(let (zone, access)):
                return try modify(request, zone, access, caller, stamp, by: target, &transaction)
            }
        }
    }

    private func modify(
        _ request: ModifyRecords, _ zone: ZoneRow, _ access: ZoneAccess, _ caller: Caller, _ stamp: Record.Stamp,
        by target: PushTarget, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> (answer: ModifyRecordsAnswer, pushes: [Push]) {
        var stored: [RecordName: RecordRow] = [:]
        for row in try transaction.records(request.names, in: request.zone) { stored[row.name] = row }
        var types = Set(request.saves.map(\.draft.type))
        // What is deleted has entries in indexes, too.
        if access == .roles || !request.deletions.isEmpty { types.formUnion(stored.values.compactMap(\.record?.type)) }
        let container = request.zone.container
        var part: SharedPart?
        let names = Set(request.names).union(request.saves.compactMap(\.draft.parent))
        switch try self.part(access, of: request.zone, only: names, &transaction) {
        case .failure(let refusal): return (.refused(refusal), [])
        case .success(let found): part = found
        }
        part?.insert(madeBy: request.saves, stored)
        var isFrozen = false
        let assets = try assets(for: request, access, target.account, &transaction)
        func decide(_ transaction: inout Engine.Transaction) throws(EngineFailure) -> BatchDecision {
            let decision = RecordDecision(
                access: access, caller: caller, stamp: stamp, rules: rules,
                schema: try schema(for: types, in: container, isFrozen: isFrozen, &transaction), part: part,
                assets: Set(assets.map(\.asset)))
            return BatchDecision(request, decision, stored, zone: zone)
        }
        var batch = try decide(&transaction)
        guard !batch.rows.isEmpty else { return (.outcomes(batch.outcomes), []) }
        if !batch.schema.changed.isEmpty || zone.counter == 0 {
            if container.environment == .development {
                try transaction.lock(.team(container.name))
                isFrozen = try !mayExtendSchema(of: container.name, caller, &transaction)
            }
            // Another save may have added to the same types meanwhile. And a zone without records may be one that those who fill
            // a new index do not see yet: its first save knows the index, or they wait for it.
            try transaction.lock(.schema(container))
            batch = try decide(&transaction)
            guard !batch.rows.isEmpty else { return (.outcomes(batch.outcomes), []) }
            if let refusal = try store(batch.schema.changes, in: container, &transaction) {
                return (.refused(refusal), [])
            }
        }
        var zone = zone
        zone.counter = batch.counter
        try transaction.put(batch.rows, in: request.zone)
        try store(batch.rows, over: stored, in: request.zone, by: target.account, &transaction)
        let entries = EntryChanges(batch.rows, stored, batch.schema)
        if !entries.isEmpty {
            try transaction.changeEntries(removing: entries.removed, adding: entries.added, in: request.zone)
        }
        guard access != .roles else {
            try transaction.put(zone, of: request.zone)
            let changes = batch.rows.compactMap { RecordChange(stored[$0.name]?.record, $0.record) }
            let pushes = try announcePublicly(
                changes, in: request.zone, zone.counter, batch.schema, by: target, &transaction)
            return (.outcomes(batch.outcomes), pushes)
        }
        let listed = try spread(batch.rows, over: stored, in: request.zone, &zone, at: stamp.time, &transaction)
        try transaction.put(zone, of: request.zone)
        return (.outcomes(batch.outcomes), try announce(listed, by: target, &transaction))
    }

    /// The row of a zone, and what the caller may do in it. The default zone exists always.
    func open(
        _ zone: ZoneID, _ caller: Caller, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<(ZoneRow, ZoneAccess), Refusal> {
        guard let access = try access(of: caller, to: zone, &transaction) else {
            return .failure(caller == .anonymous ? .notAuthenticated : .notPermitted)
        }
        if let row = try transaction.zone(zone) { return .success((row, access)) }
        if zone.name == .defaultZone { return .success((ZoneRow(incarnation: 1), access)) }
        let feed = try transaction.feedRow(of: zone, in: zone.database)
        return .failure(.zoneNotFound(feed?.deletion?.reason))
    }

    /// What a caller may do in a zone; nil for nothing.
    func access(
        of caller: Caller, to zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> ZoneAccess? {
        guard let owner = zone.owner else { return zone.name == .defaultZone ? .roles : nil }
        guard let account = caller.account else { return nil }
        if account == owner { return .owner }
        let shares = try transaction.participants(account, of: zone).filter(\.hasAccepted)
        if let whole = shares.first(where: { $0.root == nil }) { return whole.permission == .write ? .write : .read }
        var roots: [RecordName: Participant.Permission] = [:]
        for share in shares { if let root = share.root { roots[root] = share.permission } }
        return roots.isEmpty ? nil : .part(roots)
    }
}
