import Location

extension RecordStore {
    /// Makes and deletes zones of the caller's private database.
    public func modify(
        _ request: ModifyZones, by caller: Caller, key: RequestKey, at now: UTCTime
    ) throws(EngineFailure) -> Reply<ModifyZonesAnswer> {
        guard case .device(let device, let account) = caller else { return Reply(.refused(.notAuthenticated)) }
        guard account == request.owner, request.reason != .withdrawn else { return Reply(.refused(.notPermitted)) }
        if let refusal = request.refusal(rules.limits) { return Reply(.refused(refusal)) }
        let target = PushTarget(request.container, account, device)
        return try once(AnswerRow.Key(target, key), request.fingerprint, at: now) {
            (transaction) throws(EngineFailure) in
            try modify(request, by: target, at: now, &transaction)
        }
    }

    private func modify(
        _ request: ModifyZones, by target: PushTarget, at now: UTCTime, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> (answer: ModifyZonesAnswer, pushes: [Push]) {
        func zone(_ name: ZoneName) -> ZoneID { ZoneID(request.container, owner: request.owner, name) }
        for zone in request.names.map(zone).sorted() { try transaction.lock(.zone(zone)) }
        var deleted: [ZoneID] = []
        for zone in request.deletions.map(zone) where try transaction.zone(zone) != nil { deleted.append(zone) }
        var made: [ZoneID] = []
        for zone in request.saves.map(zone) where try transaction.zone(zone) == nil { made.append(zone) }
        let outcomes: [ZoneOutcome] = request.saves.map { _ in .saved } + request.deletions.map { _ in .deleted }
        guard !deleted.isEmpty || !made.isEmpty else { return (.outcomes(outcomes), []) }

        // All is read and locked before anything is written: zones first, then databases.
        let database = DatabaseID(request.container, .privately(request.owner))
        var databases: Set = [database]
        for zone in deleted { databases.formUnion(try self.databases(seeing: zone, &transaction)) }
        for database in databases.sorted() { try transaction.lock(.database(database)) }
        var row = try transaction.database(database) ?? DatabaseRow()
        let zones = row.zones + made.count - deleted.count
        if !made.isEmpty, let refusal = rules.limits.refusal(zones, .zones) { return (.refused(refusal), []) }
        row.zones = zones
        try transaction.put(row, of: database)
        var pushes = try delete(deleted, request.reason, by: target, at: now, &transaction)
        pushes += try make(made, in: database, by: target, &transaction)
        return (.outcomes(outcomes), pushes)
    }

    private func delete(
        _ zones: [ZoneID], _ reason: ZoneDeletionReason, by target: PushTarget, at now: UTCTime,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        let changes = zones.map { ZoneChange($0, .deleted(reason, now)) }
        let pushes = try announce(changes, by: target, &transaction)
        for zone in zones { try transaction.removeZone(zone) }
        return pushes
    }

    private func make(
        _ zones: [ZoneID], in database: DatabaseID, by target: PushTarget, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        var counter = try transaction.database(database)?.counter ?? 0
        var changes: [ZoneChange] = []
        for zone in zones {
            // The number of a zone is the database's counter after it is listed, which no other zone has.
            counter += 1
            try transaction.put(ZoneRow(incarnation: counter), of: zone)
            changes.append(ZoneChange(zone, .changed))
        }
        return try announce(changes, by: target, &transaction)
    }
}
