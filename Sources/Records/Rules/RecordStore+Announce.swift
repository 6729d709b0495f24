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
    /// The records that were changed.
    let records: [RecordChange]

    init(_ zone: ZoneID, _ kind: Kind, records: [RecordChange] = []) {
        self.zone = zone
        self.kind = kind
        self.records = records
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
            let changes = listed[database] ?? []
            let rows = try list(changes, in: database, &transaction)
            pushes += try push(Array(zip(rows, changes)), in: database, by: maker, &transaction)
        }
        return pushes
    }

    /// The databases in which a zone is seen. The public database lists no changes.
    func databases(
        seeing zone: ZoneID, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [DatabaseID] {
        guard zone.owner != nil else { return [] }
        // The default zone is never shared.
        guard zone.name != .defaultZone else { return [zone.database] }
        let accepted = try transaction.participants(of: zone).filter(\.hasAccepted)
        return [zone.database] + Set(accepted.map(\.account)).map { DatabaseID(zone.container, .shared($0)) }
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
        _ rows: [(row: FeedRow, change: ZoneChange)], in database: DatabaseID, by maker: PushTarget,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        guard let account = database.account else { return [] }
        let subscriptions = try transaction.subscriptions(in: database).sorted { $0.name < $1.name }
        guard !subscriptions.isEmpty else { return [] }
        var pushed: [(zone: ZoneID, subscription: SubscriptionName?, position: UInt64)] = []
        var removed: Set<SubscriptionName> = []
        for (row, change) in rows {
            if subscriptions.contains(where: { $0.covers(row.zone) }) { pushed.append((row.zone, nil, row.position)) }
            for subscription in subscriptions where !removed.contains(subscription.name) {
                guard change.records.contains(where: { subscription.covers($0, in: row.zone) }) else { continue }
                pushed.append((row.zone, subscription.name, row.position))
                if subscription.isOnce { removed.insert(subscription.name) }
            }
        }
        guard !pushed.isEmpty else { return [] }
        var pushes: [Push] = []
        for target in try targets(of: account, in: database.container, but: maker, &transaction) {
            pushes += pushed.map { Push(target, database, $0.zone, $0.subscription, $0.position) }
        }
        // A change that is pushed to nobody is no first push.
        guard !pushes.isEmpty else { return [] }
        for name in removed.sorted() { try transaction.removeSubscription(name, in: database) }
        for push in pushes { try transaction.put(push) }
        return pushes
    }

    /// The devices of an account that get pushes, but not the one that made the changes.
    func targets(
        of account: AccountID, in container: Container, but maker: PushTarget, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [PushTarget] {
        try transaction.devices(of: account, in: container).map { PushTarget(container, account, $0) }
            .filter { $0 != maker }
    }

    /// Stores the pushes of changes of the public database to the devices of all accounts that subscribe to them and may read
    /// the records, but not to the one that made the changes. The zone is locked already.
    /// - Parameter position: The zone's counter after the changes.
    func announcePublicly(
        _ changes: [RecordChange], in zone: ZoneID, _ position: UInt64, _ schema: SchemaView, by maker: PushTarget,
        _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        let types = Set(changes.map(\.record.type)).sorted()
        var isCovered = false
        for type in types where !isCovered {
            isCovered = try transaction.hasPublicSubscriptions(to: type, in: zone.container)
        }
        // Nobody waits for anybody where nobody subscribes.
        guard isCovered else { return [] }
        let database = zone.database
        try transaction.lock(.database(database))
        var pushes: [Push] = []
        for type in types {
            let values = Set(changes.map(\.record).filter { $0.type == type }.flatMap(RequiredValue.values))
            let subscribers = try transaction.publicSubscriptions(to: type, requiring: values, in: zone.container)
            for (account, subscription) in subscribers {
                let reader = RecordReader(access: .roles, caller: .device(maker.device, of: account), schema: schema)
                guard changes.contains(where: { subscription.covers($0, in: zone) && reader.mayRead($0.record) })
                else { continue }
                let targets = try targets(of: account, in: zone.container, but: maker, &transaction)
                if subscription.isOnce, !targets.isEmpty {
                    try transaction.removePublicSubscription(subscription.name, of: account, in: zone.container)
                }
                pushes += targets.map { Push($0, database, zone, subscription.name, position) }
            }
        }
        for push in pushes { try transaction.put(push) }
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
