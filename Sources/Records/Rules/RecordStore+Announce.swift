import Location

/// A change of a zone that databases list.
struct ZoneChange {
    /// What happened.
    enum Kind: Equatable {
        /// Records were changed, or the zone was made.
        case changed
        /// The zone was deleted.
        case deleted(ZoneDeletionReason, UTCTime)
    }

    let zone: ZoneID
    let kind: Kind

    init(_ zone: ZoneID, _ kind: Kind) {
        self.zone = zone
        self.kind = kind
    }
}

extension RecordStore {
    /// Lists changes in every database in which their zones are seen, and stores the pushes to all devices that subscribe to
    /// them, but never to the one that made them. The zones are locked already.
    func announce(
        _ changes: [ZoneChange], by maker: PushTarget, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        var listed: [DatabaseID: [ZoneChange]] = [:]
        for change in changes {
            for database in try databases(seeing: change.zone, &transaction) {
                listed[database, default: []].append(change)
            }
        }
        return try announce(listed, by: maker, &transaction)
    }

    /// The same for changes that only certain databases list.
    func announce(
        _ listed: [DatabaseID: [ZoneChange]], by maker: PushTarget, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        var pushes: [Push] = []
        for database in listed.keys.sorted() {
            try transaction.lock(.database(database))
            let rows = try list(listed[database] ?? [], in: database, &transaction)
            pushes += try push(rows, in: database, by: maker, &transaction)
        }
        return pushes
    }

    /// The databases in which a zone is seen. The public database lists no changes.
    func databases(
        seeing zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [DatabaseID] {
        guard zone.owner != nil else { return [] }
        var databases = [zone.database]
        // The default zone is never shared.
        guard zone.name != .defaultZone else { return databases }
        for participant in try transaction.participants(of: zone) where participant.hasAccepted {
            databases.append(DatabaseID(zone.container, .shared(participant.account)))
        }
        return databases
    }

    /// Lists changes in a database, which is locked, and returns the rows.
    func list(
        _ changes: [ZoneChange], in database: DatabaseID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [FeedRow] {
        var rows: [FeedRow] = []
        var row = try transaction.database(database) ?? DatabaseRow()
        for change in changes {
            row.counter += 1
            var feed =
                try transaction.feedRow(of: change.zone, in: database)
                ?? FeedRow(change.zone, position: 0, isPresent: false)
            feed.position = row.counter
            switch change.kind {
            case .changed: feed.isPresent = true
            case .deleted(let reason, let time):
                feed.isPresent = false
                feed.deletion = FeedRow.Deletion(position: row.counter, database.reason(for: reason), time)
            }
            try transaction.put(feed, in: database)
            rows.append(feed)
        }
        try transaction.put(row, of: database)
        return rows
    }

    private func push(
        _ rows: [FeedRow], in database: DatabaseID, by maker: PushTarget,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        guard let account = database.account else { return [] }
        let subscriptions = try transaction.subscriptions(in: database)
        guard !subscriptions.isEmpty else { return [] }
        let devices = try transaction.devices(of: account, in: database.container)
        var pushes: [Push] = []
        for row in rows where subscriptions.contains(where: { $0.covers(row.zone) }) {
            for device in devices {
                let target = PushTarget(database.container, account, device)
                guard target != maker else { continue }
                let push = Push(target, database, row.zone, row.position)
                try transaction.put(push)
                pushes.append(push)
            }
        }
        return pushes
    }
}

extension DatabaseID {
    /// Why a zone is deleted as this database lists it: whatever its owner did, others cannot send it again.
    fileprivate func reason(for reason: ZoneDeletionReason) -> ZoneDeletionReason {
        if case .shared = scope { .withdrawn } else { reason }
    }

    /// The account whose database it is; nil for the public one.
    var account: AccountID? {
        switch scope {
        case .everybody: nil
        case .privately(let account), .shared(let account): account
        }
    }
}
