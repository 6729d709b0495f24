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
    /// The zone's counter after the change.
    let mark: ChangeTag
    let kind: Kind

    init(_ zone: ZoneID, _ mark: ChangeTag, _ kind: Kind) {
        self.zone = zone
        self.mark = mark
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
        var pushes: [Push] = []
        for database in listed.keys.sorted() {
            try transaction.lock(.database(database))
            try list(listed[database] ?? [], in: database, &transaction)
            pushes += try push(listed[database] ?? [], in: database, by: maker, &transaction)
        }
        return pushes
    }

    /// The databases in which a zone is seen. The public database lists no changes.
    func databases(
        seeing zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [DatabaseID] {
        zone.owner == nil ? [] : [zone.database]
    }

    /// Lists changes in a database, which is locked.
    func list(
        _ changes: [ZoneChange], in database: DatabaseID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) {
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
                feed.deletion = FeedRow.Deletion(position: row.counter, reason, time)
            }
            try transaction.put(feed, in: database)
        }
        try transaction.put(row, of: database)
    }

    private func push(
        _ changes: [ZoneChange], in database: DatabaseID, by maker: PushTarget,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        guard let account = database.account else { return [] }
        let subscriptions = try transaction.subscriptions(in: database)
        guard !subscriptions.isEmpty else { return [] }
        let devices = try transaction.devices(of: account, in: database.container)
        var pushes: [Push] = []
        for change in changes where subscriptions.contains(where: { $0.covers(change.zone) }) {
            for device in devices {
                let target = PushTarget(database.container, account, device)
                guard target != maker else { continue }
                let push = Push(target, database, change.zone, change.mark)
                try transaction.put(push)
                pushes.append(push)
            }
        }
        return pushes
    }
}

extension DatabaseID {
    /// The account whose database it is; nil for the public one.
    var account: AccountID? {
        switch scope {
        case .everybody: nil
        case .privately(let account), .shared(let account): account
        }
    }
}
