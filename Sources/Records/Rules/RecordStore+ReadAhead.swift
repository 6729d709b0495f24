extension RecordStore {
    /// What a request to save and delete records reads and locks, if this caller sends it with this key.
    public func readAhead(for request: ModifyRecords, by caller: Caller, key: RequestKey) -> ReadAhead {
        var ahead = ReadAhead()
        readAhead(for: request, by: caller, key: key, into: &ahead)
        return ahead
    }

    /// Adds it to what other requests read and lock, with which the request is performed.
    public func readAhead(
        for request: ModifyRecords, by caller: Caller, key: RequestKey, into ahead: inout ReadAhead
    ) {
        guard case .device(let device, let account) = caller, request.refusal(rules.limits) == nil else { return }
        let zone = request.zone
        ahead.lock(AnswerRow.Key(PushTarget(zone.container, account, device), key))
        ahead.lock(zone)
        ahead.add(request.names, in: zone)
        for save in request.saves { ahead.types.insert(ReadAhead.TypeName(save.draft.type, in: zone.container)) }
        if zone.container.environment == .production { ahead.containers.insert(zone.container) }
        // The public database lists no changes.
        if zone.owner != nil { ahead.lock(zone, in: zone.database) }
    }

    /// Adds what a request reads to find out who sends it.
    public func readAhead(forToken token: [UInt8], into ahead: inout ReadAhead) {
        ahead.tokens.insert(tokenDigest(token))
    }
}

extension ReadAhead {
    fileprivate mutating func lock(_ key: AnswerRow.Key) {
        locks.insert(.answer(key))
        answers.insert(key)
    }

    fileprivate mutating func lock(_ zone: ZoneID) {
        locks.insert(.zone(zone))
        zones.insert(zone)
    }

    fileprivate mutating func lock(_ zone: ZoneID, in database: DatabaseID) {
        locks.insert(.database(database))
        databases.insert(database)
        listings.insert(Listing(zone, in: database))
    }
}
