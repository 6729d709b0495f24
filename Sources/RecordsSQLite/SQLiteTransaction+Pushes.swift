import Journal
import Records

extension SQLiteTransaction {
    /// The subscriptions of the account whose database this is.
    public func subscriptions(in database: DatabaseID) throws(EngineFailure) -> [Subscription] {
        try perform { (connection) throws(JournalError) in
            guard let number = try connection.number(of: database) else { return [] }
            return try connection.all(.readSubscriptions, [.integer(number)]) { (row) throws(JournalError) in
                try Subscription(row, database.container)
            }
        }
    }

    /// Stores a subscription, instead of the one with its name.
    public func put(_ subscription: Subscription, in database: DatabaseID) throws(EngineFailure) {
        try perform { (connection) throws(JournalError) in
            try connection.run(
                .storeSubscription, [connection.numberToWrite(of: database)] + subscription.columns)
        }
    }

    /// Removes a subscription.
    public func removeSubscription(
        _ name: SubscriptionName, in database: DatabaseID
    ) throws(EngineFailure) {
        try perform { (connection) throws(JournalError) in
            guard let number = try connection.number(of: database) else { return }
            try connection.run(.removeSubscription, [.integer(number), name.column])
        }
    }

    /// The devices of an account that get pushes.
    public func devices(of account: AccountID, in container: Container) throws(EngineFailure) -> [DeviceID] {
        try perform { (connection) throws(JournalError) in
            try connection.all(.readDevices, [container.column, account.column]) { (row) throws(JournalError) in
                try DeviceID(column: row.text(0))
            }
        }
    }

    /// Stores that a device gets pushes.
    public func put(_ device: PushTarget) throws(EngineFailure) {
        try perform { (connection) throws(JournalError) in try connection.run(.storeDevice, device.columns) }
    }

    /// Removes a device and its pushes.
    public func remove(_ device: PushTarget) throws(EngineFailure) {
        try perform { (connection) throws(JournalError) in
            try connection.run(.removeDevice, device.columns)
            try connection.run(.removePushes, device.columns)
        }
    }

    /// The pending pushes of a device in all containers, at most one for each zone.
    public func pushes(to device: AccountDevice, limit: Int) throws(EngineFailure) -> [Push] {
        try perform { (connection) throws(JournalError) in
            try connection.all(.readPushes, device.columns + [.integer(Int64(limit))]) { (row) throws(JournalError) in
                let container = try Container(column: row.text(5))
                return try Push(row, to: PushTarget(container, device.account, device.device))
            }
        }
    }

    /// Stores a push, instead of the one for the same device and zone.
    public func put(_ push: Push) throws(EngineFailure) {
        try perform { (connection) throws(JournalError) in
            try connection.run(
                .storePush,
                push.target.columns + push.zone.nameColumns + push.database.scopeColumns + [.counter(push.position)])
        }
    }

    /// Removes the push for the same device and zone unless its position is greater.
    public func removePush(through push: Push) throws(EngineFailure) {
        try perform { (connection) throws(JournalError) in
            try connection.run(.removePush, push.target.columns + push.zone.nameColumns + [.bound(push.position)])
        }
    }
}
