extension RecordStore {
    /// Stores a subscription of the caller in its database, instead of the one with its name. In the public database, a query is
    /// all that can be subscribed to. The account's other devices get a push about a subscription with an alert, so that they know
    /// it before it fires.
    public func subscribe(
        _ subscription: Subscription, in database: DatabaseID, by caller: Caller
    ) throws(EngineFailure) -> Reply<Refusal?> {
        if let refusal = refusal(of: caller, in: database) { return Reply(refusal) }
        if database.account == nil, subscription.alert?.arguments.isEmpty == false {
            return Reply(.invalidRequest(.alertArguments))
        }
        return try engine.write { (transaction) throws(EngineFailure) in
            if let zone = subscription.zone, database.account != nil || zone != database.defaultZone {
                guard try databases(open: zone, to: caller, &transaction).contains(database) else {
                    return Reply(.notPermitted)
                }
            }
            if case .query(let query) = subscription.subject {
                let schema = try schema(for: [query.query.type], in: database.container, &transaction)
                if let violation = schema.mismatch(of: query.query) { return Reply(.notInSchema(violation)) }
            } else if database.account == nil {
                return Reply(.invalidRequest(.publicDatabase))
            }
            let before = try lockSubscriptions(in: database, by: caller, &transaction)
            let others = before.filter { $0.name != subscription.name }
            if let refusal = rules.limits.refusal(others.count + 1, .subscriptions) { return Reply(refusal) }
            if database.account == nil, let account = caller.account {
                try transaction.put(subscription, of: account, in: database.container)
            } else {
                try transaction.put(subscription, in: database)
            }
            let isKnown = before.contains(subscription)
            let old = before.first { $0.name == subscription.name }
            guard !isKnown, subscription.alert != nil || old?.alert != nil else { return Reply(nil) }
            return Reply(nil, pushes: try announceAlerts(in: database.container, by: caller, &transaction))
        }
    }

    /// Removes a subscription of the caller, if there is one.
    public func unsubscribe(
        _ name: SubscriptionName, in database: DatabaseID, by caller: Caller
    ) throws(EngineFailure) -> Reply<Refusal?> {
        if let refusal = refusal(of: caller, in: database) { return Reply(refusal) }
        return try engine.write { (transaction) throws(EngineFailure) in
            let before = try lockSubscriptions(in: database, by: caller, &transaction)
            if database.account == nil, let account = caller.account {
                try transaction.removePublicSubscription(name, of: account, in: database.container)
            } else {
                try transaction.removeSubscription(name, in: database)
            }
            guard before.contains(where: { $0.name == name && $0.alert != nil }) else { return Reply(nil) }
            return Reply(nil, pushes: try announceAlerts(in: database.container, by: caller, &transaction))
        }
    }

    /// Locks the subscriptions of the caller in a database, and the database in which changes of alerts are announced.
    private func lockSubscriptions(
        in database: DatabaseID, by caller: Caller, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Subscription] {
        let own = caller.account.map { DatabaseID(database.container, .privately($0)) }
        for locked in Set([database, own ?? database]).sorted() { try transaction.lock(.database(locked)) }
        return try stored(in: database, by: caller, &transaction)
    }

    /// Stores a push to each other device of the caller's account, which reads the subscriptions again.
    private func announceAlerts(
        in container: Container, by caller: Caller, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Push] {
        guard case .device(let device, let account) = caller else { return [] }
        let database = DatabaseID(container, .privately(account))
        var row = try transaction.database(database) ?? DatabaseRow()
        row.counter += 1
        try transaction.put(row, of: database)
        let pushes = try targets(of: account, in: container, but: PushTarget(container, account, device), &transaction)
            .map { Push($0, database, database.defaultZone, .alerts, row.counter) }
        for push in pushes { try transaction.put(push) }
        return pushes
    }

    /// The subscriptions of the caller in its database.
    public func subscriptions(
        in database: DatabaseID, by caller: Caller
    ) throws(EngineFailure) -> Answer<[Subscription]> {
        if let refusal = refusal(of: caller, in: database) { return .failure(refusal) }
        return .success(
            try engine.read { (transaction) throws(EngineFailure) in
                try stored(in: database, by: caller, &transaction).sorted { $0.name < $1.name }
            })
    }

    private func stored(
        in database: DatabaseID, by caller: Caller, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [Subscription] {
        guard database.account == nil, let account = caller.account else {
            return try transaction.subscriptions(in: database)
        }
        return try transaction.publicSubscriptions(of: account, in: database.container)
    }

    private func refusal(of caller: Caller, in database: DatabaseID) -> Refusal? {
        guard let account = database.account ?? caller.account else { return .notAuthenticated }
        guard caller.account == account else { return caller == .anonymous ? .notAuthenticated : .notPermitted }
        return nil
    }

    /// The database in which a caller may see a zone, whether or not it exists: its own, or the shared one.
    private func databases(
        open zone: ZoneID, to caller: Caller, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) -> [DatabaseID] {
        guard let account = caller.account, let access = try access(of: caller, to: zone, &transaction) else {
            return []
        }
        return [DatabaseID(zone.container, access == .owner ? .privately(account) : .shared(account))]
    }

    /// Stores that the caller's device gets pushes of a container.
    public func register(in container: Container, by caller: Caller) throws(EngineFailure) -> Refusal? {
        guard case .device(let device, let account) = caller else { return .notAuthenticated }
        return try engine.write { (transaction) throws(EngineFailure) in
            // Another hub may have removed the device since its token was checked: nothing would remove its row then.
            try transaction.lock(.account(account))
            guard try transaction.devices(of: account).contains(where: { $0.id.device == device }) else {
                return .notAuthenticated
            }
            try lockDatabases(of: account, in: container, &transaction)
            let others = try transaction.devices(of: account, in: container).filter { $0 != device }
            if let refusal = rules.limits.refusal(others.count + 1, .devices) { return refusal }
            try transaction.put(PushTarget(container, account, device))
            return nil
        }
    }

    /// Removes the caller's device, and its pending pushes.
    public func unregister(from container: Container, by caller: Caller) throws(EngineFailure) -> Refusal? {
        guard case .device(let device, let account) = caller else { return .notAuthenticated }
        try engine.write { (transaction) throws(EngineFailure) in
            try lockDatabases(of: account, in: container, &transaction)
            try transaction.remove(PushTarget(container, account, device))
        }
        return nil
    }

    /// Excludes changes that are pushed to an account, while its devices change.
    private func lockDatabases(
        of account: AccountID, in container: Container, _ transaction: inout Engine.Transaction
    ) throws(EngineFailure) {
        for database in container.databases(of: account) { try transaction.lock(.database(database)) }
    }

    /// The pending pushes of the caller's device in all containers, at most one for each zone and each
    /// subscription to a query: however often a zone has changed, the device fetches once. Further ones follow when these are acknowledged.
    public func pushes(to caller: Caller) throws(EngineFailure) -> Answer<[Push]> {
        guard case .device(let device, let account) = caller else { return .failure(.notAuthenticated) }
        return .success(
            try engine.read { (transaction) throws(EngineFailure) in
                try transaction.pushes(to: AccountDevice(account, device), limit: rules.limits.records)
                    .sorted { left, right in
                        (left.database, left.zone, left.subscription?.text ?? "")
                            < (right.database, right.zone, right.subscription?.text ?? "")
                    }
            })
    }

    /// Removes pushes that the caller's device has received. One that a later change has renewed meanwhile stays.
    public func acknowledge(_ pushes: [Push], by caller: Caller) throws(EngineFailure) -> Refusal? {
        guard case .device(let device, let account) = caller else { return .notAuthenticated }
        guard pushes.allSatisfy({ $0.target.account == account && $0.target.device == device }) else {
            return .notPermitted
        }
        try engine.write { (transaction) throws(EngineFailure) in
            for push in pushes { try transaction.removePush(through: push) }
        }
        return nil
    }
}

extension Subscription {
    /// The zone that the subscription is restricted to; nil for none.
    fileprivate var zone: ZoneID? {
        switch subject {
        case .database: nil
        case .zone(let zone): zone
        case .query(let query): query.zone
        }
    }
}

extension DatabaseID {
    /// The zone that the database has always.
    fileprivate var defaultZone: ZoneID { ZoneID(container, owner: account, .defaultZone) }
}
