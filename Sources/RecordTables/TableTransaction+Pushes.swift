import Records

extension TableTransaction {
    /// The subscriptions of the account whose database this is.
    public func subscriptions(in database: DatabaseID) throws(EngineFailure) -> [Subscription] {
        if let known = cache?.subscriptions[database] { return known }
        guard let number = try number(of: database) else { return [] }
        return try all(.readSubscriptions, [.integer(number)]) { (row) throws(TableError) in
            try Subscription(row, database.container)
        }
    }

    /// Stores a subscription, instead of the one with its name.
    public func put(_ subscription: Subscription, in database: DatabaseID) throws(EngineFailure) {
        cache?.subscriptions.removeValue(forKey: database)
        try run(
            .storeSubscription, [numberToWrite(of: database)] + subscription.columns)
    }

    /// Removes a subscription.
    public func removeSubscription(
        _ name: SubscriptionName, in database: DatabaseID
    ) throws(EngineFailure) {
        cache?.subscriptions.removeValue(forKey: database)
        guard let number = try number(of: database) else { return }
        try run(.removeSubscription, [.integer(number), name.column])
    }

    /// The subscriptions of an account in the public database.
    public func publicSubscriptions(
        of account: AccountID, in container: Container
    ) throws(EngineFailure) -> [Subscription] {
        try all(.readPublicSubscriptions, [container.column, account.column]) { (row) throws(TableError) in
            try Subscription(row, container)
        }
    }

    /// Whether somebody subscribes to records of a type in the public database.
    public func hasPublicSubscriptions(
        to type: RecordType, in container: Container
    ) throws(EngineFailure) -> Bool {
        try first(.findSubscriber, [container.column, type.column]) { (_) throws(TableError) in true } ?? false
    }

    /// The subscriptions of all accounts to records of a type in the public database, in any order: those whose queries require
    /// one of these values, and those that require none.
    public func publicSubscriptions(
        to type: RecordType, requiring values: Set<RequiredValue>, in container: Container
    ) throws(EngineFailure) -> [(account: AccountID, subscription: Subscription)] {
        var found: [(account: AccountID, subscription: Subscription)] = []
        for columns in [RequiredValue.noColumns] + values.map(\.columns) {
            found += try all(.readSubscribers, [container.column, type.column] + columns) { (row) throws(TableError) in
                (
                    account: try AccountID(column: row.text(4)),
                    subscription: try Subscription(row, container, parsedSubjects)
                )
            }
        }
        return found
    }

    /// Stores a subscription to a query in the public database, instead of the one with its account and name.
    public func put(
        _ subscription: Subscription, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        guard case .query(let query) = subscription.subject else {
            preconditionFailure("only a query is subscribed to in the public database")
        }
        try run(
            .storePublicSubscription,
            [
                container.column, account.column, subscription.name.column, query.query.type.column,
                .blob(subscription.subject.json),
            ] + (query.query.requiredValue?.columns ?? RequiredValue.noColumns))
    }

    /// Removes a subscription of an account in the public database.
    public func removePublicSubscription(
        _ name: SubscriptionName, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        try run(.removePublicSubscription, [container.column, account.column, name.column])
    }

    /// The devices of an account that get pushes.
    public func devices(of account: AccountID, in container: Container) throws(EngineFailure) -> [DeviceID] {
        if let known = cache?.targets[DatabaseID(container, .privately(account))] { return known }
        return try all(.readDevices, [container.column, account.column]) { (row) throws(TableError) in
            try DeviceID(column: row.text(0))
        }
    }

    /// Stores that a device gets pushes.
    public func put(_ device: PushTarget) throws(EngineFailure) {
        cache?.forgetDevices(of: device.account)
        try run(.storeDevice, device.columns)
    }

    /// Removes a device and its pushes.
    public func remove(_ device: PushTarget) throws(EngineFailure) {
        cache?.forgetDevices(of: device.account)
        try run(.removeDevice, device.columns)
        try run(.removePushes, device.columns)
    }

    /// The pending pushes of a device in all containers, at most one for each zone and subscription to a query.
    public func pushes(to device: AccountDevice, limit: Int) throws(EngineFailure) -> [Push] {
        try all(.readPushes, device.columns + [.integer(Int64(limit))]) { (row) throws(TableError) in
            let container = try Container(column: row.text(6))
            return try Push(row, to: PushTarget(container, device.account, device.device))
        }
    }

    /// Stores a push, instead of the one for the same device, zone and subscription.
    public func put(_ push: Push) throws(EngineFailure) {
        try run(
            .storePush,
            push.target.columns + push.zone.nameColumns + [push.subscriptionColumn] + push.database.scopeColumns
                + [.counter(push.position)])
        notify(AccountDevice(push.target.account, push.target.device))
    }

    /// Removes the push for the same device, zone and subscription unless its position is greater.
    public func removePush(through push: Push) throws(EngineFailure) {
        try run(
            .removePush, push.target.columns + push.zone.nameColumns + [push.subscriptionColumn, .bound(push.position)])
    }
}

extension RequiredValue {
    /// The columns of a query that requires no value.
    fileprivate static let noColumns: [StoredValue] = [.text(""), .blob([])]

    /// The columns of a query that requires this value.
    fileprivate var columns: [StoredValue] { [field.column, .blob(key.bytes)] }
}
