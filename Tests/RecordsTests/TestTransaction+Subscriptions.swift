import Location
import Records

/// Subscriptions, the devices that receive pushes, and the pushes.
extension TestTransaction {
    mutating func subscriptions(in database: DatabaseID) throws(EngineFailure) -> [Subscription] {
        try engine.call("read subscriptions")
        return try inner.subscriptions(in: database)
    }

    mutating func put(_ subscription: Subscription, in database: DatabaseID) throws(EngineFailure) {
        try write("store a subscription", under: .database(database))
        try inner.put(subscription, in: database)
    }

    mutating func removeSubscription(_ name: SubscriptionName, in database: DatabaseID) throws(EngineFailure) {
        try write("remove a subscription", under: .database(database))
        try inner.removeSubscription(name, in: database)
    }

    mutating func publicSubscriptions(
        of account: AccountID, in container: Container
    ) throws(EngineFailure) -> [Subscription] {
        try engine.call("read public subscriptions")
        return try inner.publicSubscriptions(of: account, in: container)
    }

    mutating func hasPublicSubscriptions(
        to type: RecordType, in container: Container
    ) throws(EngineFailure) -> Bool {
        try engine.call("find a public subscription")
        return try inner.hasPublicSubscriptions(to: type, in: container)
    }

    mutating func publicSubscriptions(
        to type: RecordType, requiring values: Set<RequiredValue>, in container: Container
    ) throws(EngineFailure) -> [(account: AccountID, subscription: Subscription)] {
        try engine.call("read public subscriptions")
        return try inner.publicSubscriptions(to: type, requiring: values, in: container)
    }

    mutating func put(
        _ subscription: Subscription, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        try write("store a public subscription", under: .database(DatabaseID(container, .everybody)))
        try inner.put(subscription, of: account, in: container)
    }

    mutating func removePublicSubscription(
        _ name: SubscriptionName, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        try write("remove a public subscription", under: .database(DatabaseID(container, .everybody)))
        try inner.removePublicSubscription(name, of: account, in: container)
    }

    mutating func devices(of account: AccountID, in container: Container) throws(EngineFailure) -> [DeviceID] {
        try engine.call("read devices")
        return try inner.devices(of: account, in: container)
    }

    mutating func put(_ device: PushTarget) throws(EngineFailure) {
        try write("store a device", under: .account(device.account))
        try inner.put(device)
    }

    mutating func remove(_ device: PushTarget) throws(EngineFailure) {
        try write("remove a device", under: nil)
        try inner.remove(device)
    }

    mutating func pushes(to device: AccountDevice, limit: Int) throws(EngineFailure) -> [Push] {
        try engine.call("read pushes")
        return try inner.pushes(to: device, limit: limit)
    }

    mutating func put(_ push: Push) throws(EngineFailure) {
        try write("store a push", under: .database(push.database))
        try inner.put(push)
    }

    mutating func removePush(through push: Push) throws(EngineFailure) {
        try write("remove a push", under: nil)
        try inner.removePush(through: push)
    }
}
