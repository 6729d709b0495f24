import Records

extension TableTransaction {
    /// Stores what the transaction has written and the engine has not stored yet: before a statement that needs these rows, and
    /// before the commit.
    package func storeRows() throws(EngineFailure) {
        guard let cache, cache.hasUnstored else { return }
        let (rows, zones, databases) = (
            cache.removeUnstored(), cache.zones.removeUnstored(), cache.databases.removeUnstored()
        )
        try storeRecords(rows, cache)
        try storeAnswers(rows, cache)
        var lists: [TableStatement: [[StoredValue]]] = [:]
        lists[.storeZone] = zones.map { $0.key.columns + $0.row.columns }
        lists[.storeDatabase] = databases.map { $0.key.columns + $0.row.columns }
        for listing in rows.listings {
            guard case .some(.some(let row)) = cache.listings[listing] else { continue }
            let number = try numberToWrite(of: listing.database)
            lists[.storeListedZone, default: []].append([number] + listing.zone.nameColumns + row.columns)
        }
        for statement in [TableStatement.storeListedZone, .storeDatabase, .storeZone] {
            if let values = lists[statement], !values.isEmpty { try run(statement, each: values) }
        }
    }

    /// Stores the records and answers that are not stored yet if they have many bytes. The rows that each request changes once
    /// more are stored at the end.
    func storePart() throws(EngineFailure) {
        guard let cache, let rows = cache.removePart() else { return }
        try storeRecords(rows, cache)
        try storeAnswers(rows, cache)
        try passOn()
    }

    private func storeAnswers(_ rows: UnstoredRows, _ cache: RowCache) throws(EngineFailure) {
        let values = rows.answers.compactMap { key in (cache.answers[key] ?? nil).map { key.columns + $0.columns } }
        if !values.isEmpty { try run(.storeAnswer, each: values) }
    }

    private func storeRecords(_ rows: UnstoredRows, _ cache: RowCache) throws(EngineFailure) {
        var values: [[StoredValue]] = []
        for (zone, names) in rows.records {
            let number = try numberToWrite(of: zone)
            for name in names {
                guard case .some(.some(let row)) = cache.records[zone]?[name] else { continue }
                values.append([number] + row.columns)
            }
        }
        if !values.isEmpty { try run(.storeRecord, each: values) }
    }
}

extension TableStatement {
    /// Whether the statement needs the records, zones, databases, listed zones and answers that the transaction has written:
    /// all but those that are about other tables. The numbers of zones and databases are as good as in another table, because a
    /// row that is not stored yet had its number before.
    package var needsStoredRows: Bool {
        switch self {
        case .readDeviceOfToken, .readAccountDevices, .readAllDevices, .storeAccountDevice, .removeAccountDevice,
            .readContainers, .readInvitationOfCode, .readInvitations, .readAllInvitations, .storeInvitation,
            .removeInvitation, .readType, .findType, .readTypes, .storeType, .removeType, .readUnfilledTypes, .readTeam,
            .storeMember, .removeMember, .findDatabase, .findZone, .readParticipants, .readAccountParticipants,
            .storeParticipant, .removeParticipant, .addEntry, .removeEntry, .readAssets, .readUploads, .addAsset,
            .storeAsset, .discardAsset, .addAssetUse, .removeAssetUse, .findAssetUse, .readSubscriptions,
            .storeSubscription, .removeSubscription, .readPublicSubscriptions, .findSubscriber, .readSubscribers,
            .storePublicSubscription, .removePublicSubscription, .readDevices, .storeDevice, .removeDevice, .readPushes,
            .storePush, .removePush, .removePushes:
            false
        default: true
        }
    }
}
