extension RecordStore {
    /// What a request to save and delete records reads and locks, if this caller sends it with this key.
    public func readAhead(for request: ModifyRecords, by caller: Caller, key: RequestKey) -> ReadAhead {
        guard case .device(let device, let account) = caller, request.refusal(rules.limits) == nil else {
            return ReadAhead()
        }
        let zone = request.zone
        var ahead = ReadAhead()
        ahead.lock(AnswerRow.Key(PushTarget(zone.container, account, device), key))
        ahead.lock(zone)
        ahead.records = [zone: Set(request.names)]
        ahead.types = Set(request.saves.map { ReadAhead.TypeName($0.draft.type, in: zone.container) })
        if zone.container.environment == .production { ahead.containers = [zone.container] }
        // The public database lists no changes.
        if zone.owner != nil { ahead.lock(zone, in: zone.database) }
        return ahead
    }

    /// What a request reads to find out who sends it.
    public func readAhead(forToken token: [UInt8]) -> ReadAhead {
        var ahead = ReadAhead()
        ahead.tokens = [tokenDigest(token)]
        return ahead
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
