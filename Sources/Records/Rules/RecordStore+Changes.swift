import Location

extension RecordStore {
    /// A page of the changes of a zone after a token; of all its records without one.
    ///
    /// - Parameter limit: The most records of the page; never more than the limit of a request.
    public func changes(
        of zone: ZoneID, since token: [UInt8]?, limit: Int = .max, by caller: Caller
    ) throws(EngineFailure) -> Answer<ZoneChanges> {
        switch try writtenChanges(of: zone, since: token, limit: limit, by: caller) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let written):
            do throws(FormatError) { return .success(try written.page()) } catch {
                throw EngineFailure("read the records of a page", reason: "\(error)")
            }
        }
    }

    /// A page of the changes of a zone after a token, with the records as they are stored.
    ///
    /// - Parameter limit: The most records of the page; never more than the limit of a request.
    public func writtenChanges(
        of zone: ZoneID, since token: [UInt8]?, limit: Int = .max, by caller: Caller
    ) throws(EngineFailure) -> Answer<WrittenZoneChanges> {
        try engine.read { (transaction) throws(EngineFailure) in
            guard zone.owner != nil else { return .failure(.invalidRequest(.publicDatabase)) }
            switch try open(zone, caller, &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let (row, access)):
                let digestible = access.partDigestible(row)
                let place = digestible.map { ChangeToken.Place.part(zone, $0) } ?? .zone(zone)
                switch start(token, place, row.incarnation, row.counter, row.removedThrough) {
                // Another part, or the whole zone, was open to the caller.
                case .failure(.foreign) where digestible != nil: return .failure(.changeTokenExpired(.replaced))
                case .failure(let problem): return .failure(.changeTokenExpired(problem))
                case .success(let start):
                    switch try part(access, of: zone, after: start, &transaction) {
                    case .failure(let refusal): return .failure(refusal)
                    case .success(let part):
                        return .success(try page(of: zone, row, part, place, start, limit, &transaction))
                    }
                }
            }
        }
    }

    /// The part of a zone as far as a page of changes needs it: after few changes only what is above them is read.
    private func part(
        _ access: ZoneAccess, of zone: ZoneID, after start: ChangeToken, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Result<SharedPart?, Refusal> {
        guard case .part = access else { return .success(nil) }
        var names: Set<RecordName>? = []
        if start.position > 0 {
            try transaction.forEachChange(in: zone, after: start.position, deletedAfter: start.deletedAfter) { change in
                // Whether a deleted record was in it depends on other deleted ones.
                guard change.record != nil, (names?.count ?? 0) < Self.fewChanges else {
                    names = nil
                    return false
                }
                names?.insert(change.name)
                return true
            }
        } else {
            names = nil
        }
        guard let names else { return try part(access, of: zone, &transaction) }
        return try part(access, of: zone, only: names, &transaction)
    }

    private static var fewChanges: Int { 50 }

    /// The token to continue from: the one of the client, or the beginning.
    private func start(
        _ bytes: [UInt8]?, _ place: ChangeToken.Place, _ incarnation: UInt64, _ counter: UInt64,
        _ removedThrough: UInt64
    ) -> Result<ChangeToken, TokenProblem> {
        guard let bytes else {
            return .success(ChangeToken(incarnation: incarnation, position: 0, baseline: counter))
        }
        guard let token = ChangeToken(bytes, for: place, signer) else { return .failure(.foreign) }
        guard token.incarnation == incarnation else { return .failure(.replaced) }
        // No token is ahead of its counter, unless the hub has lost what it had.
        guard token.deletedAfter <= counter else { return .failure(.foreign) }
        guard token.deletedAfter >= removedThrough else { return .failure(.outdated) }
        return .success(token)
    }

    private func page(
        of zone: ZoneID, _ row: ZoneRow, _ part: SharedPart?, _ place: ChangeToken.Place, _ start: ChangeToken,
        _ limit: Int, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> WrittenZoneChanges {
        var page = WrittenZoneChanges()
        var position = start.position
        var room = PageRoom(limit: limit, rules.limits)
        var left = rules.evaluatedRecords
        try transaction.forEachWrittenChange(
            in: zone, after: start.position, deletedAfter: start.deletedAfter
        ) { change in
            if let part, !part.lists(change) {
                // Others see nothing of it, and a page examines a limited number.
                left -= 1
                page.moreComing = left == 0
                position = change.counter
                return left > 0
            }
            guard room.admit(change.size) else {
                page.moreComing = true
                return false
            }
            switch change.content {
            case .record(let record): page.changed.append(record)
            case .deleted(let type): page.deleted.append(ZoneChanges.Deletion(change.name, type))
            }
            position = change.counter
            return true
        }
        // The row was read in the same snapshot, so nothing up to its counter is missing.
        if !page.moreComing { position = row.counter }
        page.token = ChangeToken(incarnation: row.incarnation, position: position, baseline: start.baseline)
            .bytes(for: place, signer)
        return page
    }

    /// A page of the changes of a database after a token; all its zones without one. The default zone is listed from its
    /// first record on.
    public func changes(
        of database: DatabaseID, since token: [UInt8]?, limit: Int = .max, by caller: Caller
    ) throws(EngineFailure) -> Answer<DatabaseChanges> {
        guard let account = database.account else { return .failure(.invalidRequest(.publicDatabase)) }
        guard caller.account == account else {
            return .failure(caller == .anonymous ? .notAuthenticated : .notPermitted)
        }
        return try engine.read { (transaction) throws(EngineFailure) in
            let row = try transaction.database(database) ?? DatabaseRow()
            switch start(token, .database(database), 0, row.counter, row.removedThrough) {
            case .failure(let problem): return .failure(.changeTokenExpired(problem))
            case .success(let start): return .success(try page(of: database, row, start, limit, &transaction))
            }
        }
    }

    private func page(
        of database: DatabaseID, _ row: DatabaseRow, _ start: ChangeToken, _ limit: Int,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> DatabaseChanges {
        let most = min(max(limit, 1), rules.limits.zonesOfRequest)
        let rows = try transaction.feed(of: database, after: start.position, limit: most + 1)
        var page = DatabaseChanges()
        for feed in rows.prefix(most) {
            if let deletion = feed.deletion, deletion.position > start.deletedAfter {
                page.deleted.append(DatabaseChanges.Deletion(feed.zone, deletion.reason))
            }
            if feed.isPresent { page.changed.append(feed.zone) }
        }
        page.moreComing = rows.count > most
        let position = page.moreComing ? rows[most - 1].position : row.counter
        page.token = ChangeToken(incarnation: 0, position: position, baseline: start.baseline)
            .bytes(for: .database(database), signer)
        return page
    }

    /// The records of these names that exist and that the caller may read.
    public func records(
        _ names: [RecordName], in zone: ZoneID, by caller: Caller
    ) throws(EngineFailure) -> Answer<[Record]> {
        if let refusal = rules.limits.refusal(names.count, .records) { return .failure(refusal) }
        return try engine.read { (transaction) throws(EngineFailure) in
            switch try readable(names, in: zone, caller, &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let records):
                let bytes = records.reduce(0) { $0 + $1.size }
                if records.count > 1, let refusal = rules.limits.refusal(bytes, .requestBytes) {
                    return .failure(refusal)
                }
                return .success(records.sorted { $0.name < $1.name })
            }
        }
    }

    /// Those of these records that exist and that the caller may read, in any order.
    func readable(
        _ names: [RecordName], in zone: ZoneID, _ caller: Caller, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> Answer<[Record]> {
        switch try open(zone, caller, &transaction) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let (_, access)):
            var records = try transaction.records(names, in: zone).compactMap(\.record)
            switch try part(access, of: zone, only: Set(names), &transaction) {
            case .failure(let refusal): return .failure(refusal)
            case .success(nil): break
            case .success(let part?): records.removeAll { !part.mayRead($0.name) }
            }
            if access == .roles {
                let schema = try schema(for: Set(records.map(\.type)), in: zone.container, &transaction)
                let reader = RecordReader(access: access, caller: caller, schema: schema)
                records.removeAll { !reader.mayRead($0) }
            }
            return .success(records)
        }
    }
}

extension SharedPart {
    /// Whether a page of changes has this row.
    fileprivate func lists(_ row: WrittenRow) -> Bool {
        if case .record = row.content { mayRead(row.name) } else { deleted.contains(row.name) }
    }
}
