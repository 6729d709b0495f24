import Records

extension TableTransaction {
    /// A database's row; nil if it was never written.
    public func database(_ database: DatabaseID) throws(EngineFailure) -> DatabaseRow? {
        if let known = cache?.databases.row(of: database) { return known }
        let row = try first(.readDatabase, database.columns) { (row) throws(TableError) in
            row.isNull(0) ? nil : try DatabaseRow(row)
        }
        return row ?? nil
    }

    /// Stores a database's row.
    public func put(_ row: DatabaseRow, of database: DatabaseID) throws(EngineFailure) {
        if let cache, cache.put(row, of: database) { return }
        try run(.storeDatabase, database.columns + row.columns)
    }

    /// A zone's row; nil if the zone does not exist.
    public func zone(_ zone: ZoneID) throws(EngineFailure) -> ZoneRow? {
        if let known = cache?.zones.row(of: zone) { return known }
        let row = try first(.readZone, zone.columns) { (row) throws(TableError) in
            row.isNull(0) ? nil : try ZoneRow(row)
        }
        return row ?? nil
    }

    /// The first zone of a container after another one, by owners and names; nil if there is none.
    public func zone(of container: Container, after last: ZoneID?) throws(EngineFailure) -> ZoneID? {
        let columns = [container.column] + (last?.nameColumns ?? [.text(""), .text("")])
        return try first(.findNextZone, columns) { (row) throws(TableError) in
            try ZoneID(container, owner: row.text(0), name: row.text(1))
        }
    }

    /// Stores a zone's row.
    public func put(_ row: ZoneRow, of zone: ZoneID) throws(EngineFailure) {
        if let cache, cache.put(row, of: zone) { return }
        try run(.storeZone, zone.columns + row.columns)
    }

    /// Removes a zone's row, its records with their entries in indexes, its participants, and which assets
    /// they have.
    public func removeZone(_ zone: ZoneID) throws(EngineFailure) {
        guard let number = try number(of: zone) else { return }
        for statement in [
            TableStatement.removeRecords, .removeZoneEntries, .removeParticipants, .removeAssetUses, .discardAssets,
            .removeZone,
        ] {
            try run(statement, [.integer(number)])
        }
        cache?.removeZone(zone)
    }

    /// The zone as the database lists it; nil if it does not.
    public func feedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) -> FeedRow? {
        if let known = cache?.listings[ReadAhead.Listing(zone, in: database)] { return known }
        guard let number = try number(of: database) else { return nil }
        return try first(.readListedZone, [.integer(number)] + zone.nameColumns) {
            (row) throws(TableError) in try FeedRow(row, database.container)
        }
    }

    /// The zones of a database whose positions are greater than this one, in the order of positions.
    public func feed(
        of database: DatabaseID, after position: UInt64, limit: Int
    ) throws(EngineFailure) -> [FeedRow] {
        guard let number = try number(of: database) else { return [] }
        let values: [StoredValue] = [.integer(number), .bound(position), .integer(Int64(limit))]
        return try all(.readList, values) { (row) throws(TableError) in
            try FeedRow(row, database.container)
        }
    }

    /// Stores a zone as the database lists it.
    public func put(_ row: FeedRow, in database: DatabaseID) throws(EngineFailure) {
        let number = try numberToWrite(of: database)
        if let cache { return cache.put(row, of: ReadAhead.Listing(row.zone, in: database)) }
        try run(.storeListedZone, [number] + row.zone.nameColumns + row.columns)
    }

    /// Removes a zone from the list.
    public func removeFeedRow(of zone: ZoneID, in database: DatabaseID) throws(EngineFailure) {
        guard let number = try number(of: database) else { return }
        try run(.removeListedZone, [.integer(number)] + zone.nameColumns)
        cache?.remove(ReadAhead.Listing(zone, in: database))
    }

    /// The accounts with which a zone or a record of it is shared, in any order.
    public func participants(of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        if let known = cache?.participants[zone] { return known }
        guard let number = try number(of: zone) else { return [] }
        return try all(.readParticipants, [.integer(number)]) { (row) throws(TableError) in
            try Participant(row)
        }
    }

    /// Those of one account: one for the zone, and one for each record.
    public func participants(_ account: AccountID, of zone: ZoneID) throws(EngineFailure) -> [Participant] {
        if let known = cache?.participants[zone] { return known.filter { $0.account == account } }
        guard let number = try number(of: zone) else { return [] }
        return try all(.readAccountParticipants, [.integer(number), account.column]) {
            (row) throws(TableError) in try Participant(row)
        }
    }

    /// The zones of a container that are shared with an account, or that it is invited to, and as what, in any order.
    public func zones(
        sharedWith account: AccountID, in container: Container
    ) throws(EngineFailure) -> [(zone: ZoneID, participant: Participant)] {
        try all(.readSharedZones, [account.column, container.column]) { (row) throws(TableError) in
            let zone = try ZoneID(
                try Container(column: row.text(4)), owner: row.text(5), name: row.text(6))
            return (zone: zone, participant: try Participant(row))
        }
    }

    /// Stores a participant, instead of the one with its account and record.
    public func put(_ participant: Participant, of zone: ZoneID) throws(EngineFailure) {
        cache?.participants.removeValue(forKey: zone)
        try run(
            .storeParticipant,
            [
                numberToWrite(of: zone), participant.account.column,
                .text(participant.permission.rawValue), .integer(participant.hasAccepted ? 1 : 0),
                participant.rootColumn,
            ])
    }

    /// Removes a participant: of the record with this name, or without one of the zone.
    public func removeParticipant(
        _ account: AccountID, root: RecordName?, of zone: ZoneID
    ) throws(EngineFailure) {
        cache?.participants.removeValue(forKey: zone)
        guard let number = try number(of: zone) else { return }
        try run(.removeParticipant, [.integer(number), account.column, .text(root?.text ?? "")])
    }
}
