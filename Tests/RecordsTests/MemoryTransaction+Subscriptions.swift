import Location
import Records

/// Subscriptions, the devices that receive pushes, and the pushes.
extension MemoryTransaction {
    func subscriptions(in database: DatabaseID) throws(EngineFailure) -> [Subscription] {
        Array((engine.tables.subscriptions[database] ?? [:]).values)
    }

    func put(_ subscription: Subscription, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.subscriptions[orEmpty: database], subscription.name, subscription)
    }

    func removeSubscription(_ name: SubscriptionName, in database: DatabaseID) throws(EngineFailure) {
        engine.change(\.subscriptions[orEmpty: database], name, nil)
    }

    func publicSubscriptions(
        of account: AccountID, in container: Container
    ) throws(EngineFailure) -> [Subscription] {
        engine.tables.publicSubscriptions.filter { $0.key.account == account && $0.key.container == container }
            .map(\.value)
    }

    func hasPublicSubscriptions(
        to type: RecordType, in container: Container
    ) throws(EngineFailure) -> Bool {
        engine.tables.publicSubscriptions.contains { key, subscription in
            guard case .query(let query) = subscription.subject else { return false }
            return key.container == container && query.query.type == type
        }
    }

    func publicSubscriptions(
        to type: RecordType, requiring values: Set<RequiredValue>, in container: Container
    ) throws(EngineFailure) -> [(account: AccountID, subscription: Subscription)] {
        engine.tables.publicSubscriptions.compactMap { key, subscription in
            guard key.container == container, case .query(let query) = subscription.subject, query.query.type == type,
                query.query.requiredValue.map(values.contains) ?? true
            else { return nil }
            return (key.account, subscription)
        }
    }

    func put(
        _ subscription: Subscription, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        let key = Tables.SubscriberKey(container: container, account: account, name: subscription.name)
        engine.change(\.publicSubscriptions, key, subscription)
    }

    func removePublicSubscription(
        _ name: SubscriptionName, of account: AccountID, in container: Container
    ) throws(EngineFailure) {
        let key = Tables.SubscriberKey(container: container, account: account, name: name)
        engine.change(\.publicSubscriptions, key, nil)
    }

    func devices(of account: AccountID, in container: Container) throws(EngineFailure) -> [DeviceID] {
        return engine.tables.devices.filter { $0.account == account && $0.container == container }.map(\.device)
            .sorted()
    }

    func put(_ device: PushTarget) throws(EngineFailure) {
        let isNew = engine.tables.devices.insert(device).inserted
        if isNew { engine.undo.append { $0.devices.remove(device) } }
    }

    func remove(_ device: PushTarget) throws(EngineFailure) {
        if engine.tables.devices.remove(device) != nil { engine.undo.append { $0.devices.insert(device) } }
        for key in engine.tables.pushes.keys where key.target == device { engine.change(\.pushes, key, nil) }
    }

    func pushes(to device: AccountDevice, limit: Int) throws(EngineFailure) -> [Push] {
        Array(
            engine.tables.pushes.values.filter { AccountDevice($0.target.account, $0.target.device) == device }
                .prefix(limit))
    }

    func put(_ push: Push) throws(EngineFailure) {
        engine.change(\.pushes, Tables.PushKey(push), push)
    }

    func removePush(through push: Push) throws(EngineFailure) {
        let key = Tables.PushKey(push)
        guard let stored = engine.tables.pushes[key], stored.position <= push.position else { return }
        engine.change(\.pushes, key, nil)
    }
}
