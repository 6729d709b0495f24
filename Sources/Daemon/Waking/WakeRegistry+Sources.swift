import Authorization
import NetworkPaths
import Platform
import Reachability
import Waking

// What wakes apps: the network, and requests of apps. Regions report their stored events themselves.

extension WakeRegistry {
    /// The most hosts of all apps of a user.
    static let mostTargetsOfUser = 64

    // Requests

    /// The result of a request.
    enum Subscribing {
        case done
        case tooMany
    }

    /// Adds a request of an app; the completion follows when it is stored.
    func subscribe(
        _ subscription: WakeSubscription, _ app: AppID, completion: @escaping @DaemonActor () -> Void
    ) -> Subscribing {
        var record = machines[app]?.record ?? WakeRecord()
        guard record.subscriptions[subscription] == nil else {
            change(app, { _ in }, completion: completion)
            return .done
        }
        if case .target = subscription {
            let count = machines.lazy.filter { $0.key.uid == app.uid }
                .map { $0.value.record.subscriptions.keys.count { $0.cause == .target } }.reduce(0, +)
            guard count < Self.mostTargetsOfUser else { return .tooMany }
        }
        guard record.subscribe(subscription, isUnreachable: false) else { return .tooMany }
        watch(subscription, app)
        let isUnreachable = isUnreachable(subscription, app) ?? false
        change(app, { _ = $0.subscribe(subscription, isUnreachable: isUnreachable) }, completion: completion)
        positions?.review()
        return .done
    }

    /// Removes a request of an app; the completion follows when that is stored.
    func unsubscribe(
        _ subscription: WakeSubscription, _ app: AppID, completion: @escaping @DaemonActor () -> Void
    ) {
        if machines[app]?.record.subscriptions[subscription] != nil { unwatch(subscription, app) }
        change(app, { $0.unsubscribe(subscription) }, completion: completion)
        positions?.review()
        send(.situationChanged, to: app)
    }

    /// Confirms events of an app. Returns false if there is no such event.
    func acknowledge(
        upTo number: Int64, _ app: AppID, completion: @escaping @DaemonActor (Int64) -> Void
    ) -> Bool {
        guard let queue = machines[app]?.record.queue, number <= queue.last else { return number == 0 }
        change(app, { _ = $0.acknowledge(upTo: number) }) { [weak self] in
            completion(self?.machines[app]?.record.queue.acknowledged ?? number)
        }
        send(.acknowledged, to: app)
        return true
    }

    // The network

    /// The path has changed.
    func pathChanged(_ path: NetworkPath) {
        guard isLoaded, let isUnreachable = path.isUnreachable else { return }
        for app in apps(with: .path) { observe(.path, isUnreachable: isUnreachable, app) }
    }

    /// A watched host has changed.
    func targetChanged(_ key: TargetKey, _ target: TargetReachability) {
        guard isLoaded, let isUnreachable = target.isUnreachable else { return }
        let subscription = WakeSubscription.target(WakeTarget(host: key.text, port: key.port))
        for app in apps(with: subscription) where app.uid == key.uid {
            observe(subscription, isUnreachable: isUnreachable, app)
        }
    }

    /// The apps that have requested something.
    func apps(with subscription: WakeSubscription) -> [AppID] {
        machines.filter { $0.value.record.subscriptions[subscription] != nil }.map(\.key)
    }

    /// Something has happened that an app has requested.
    func add(_ subscription: WakeSubscription, _ app: AppID) {
        let time = authorizer.instant.utc
        change(app, { _ = $0.add(subscription, at: time) }) { [weak self] in self?.service?.stored(app) }
        review(app)
    }

    private func observe(_ subscription: WakeSubscription, isUnreachable: Bool, _ app: AppID) {
        guard let before = machines[app]?.record.subscriptions[subscription], before != isUnreachable else { return }
        let time = authorizer.instant.utc
        change(app, { _ = $0.observe(subscription, isUnreachable: isUnreachable, at: time) }) { [weak self] in
            self?.service?.stored(app)
        }
        if !isUnreachable { review(app) }
    }

    private func isUnreachable(_ subscription: WakeSubscription, _ app: AppID) -> Bool? {
        switch subscription {
        case .path: network.path?.isUnreachable
        case .target(let target): key(target, app).flatMap(network.target)?.isUnreachable
        case .visits, .significantChange, .push: nil
        }
    }

    private func key(_ target: WakeTarget, _ app: AppID) -> TargetKey? {
        TargetKey(target.host, port: target.port, uid: app.uid)
    }

    private func watch(_ subscription: WakeSubscription, _ app: AppID) {
        guard case .target(let target) = subscription, let key = key(target, app) else { return }
        network.watch(key)
    }

    private func unwatch(_ subscription: WakeSubscription, _ app: AppID) {
        guard case .target(let target) = subscription, let key = key(target, app) else { return }
        network.unwatch(key)
    }

    /// Watches the hosts of all apps, after the start.
    func watchStoredTargets() {
        for (app, machine) in machines {
            for subscription in machine.record.subscriptions.keys { watch(subscription, app) }
        }
    }

    /// Compares the path and the hosts of all apps with what was stored, after the start: what was unreachable before,
    /// and is reachable again, is an event.
    func observeStoredSubscriptions() {
        for (app, machine) in machines {
            for subscription in machine.record.subscriptions.keys {
                if let isUnreachable = isUnreachable(subscription, app) {
                    observe(subscription, isUnreachable: isUnreachable, app)
                }
            }
        }
    }

    /// Ends watching the hosts of an app.
    func unwatchTargets(of app: AppID) {
        for subscription in machines[app]?.record.subscriptions.keys ?? [:].keys { unwatch(subscription, app) }
    }
}

extension NetworkPath {
    /// Whether the path cannot be used; nil while that is not known, as at the start of the daemon.
    fileprivate var isUnreachable: Bool? {
        if status == .satisfied { return false }
        return reason?.isUndetermined == true ? nil : true
    }
}

extension UnreachableReason {
    /// Whether it only means that something is not known yet.
    fileprivate var isUndetermined: Bool {
        self == .costUnknown || self == .resolving || self == .kernelNotAnswering
    }
}

extension TargetReachability {
    /// Whether the host cannot be reached; nil while that is not known.
    fileprivate var isUnreachable: Bool? {
        switch status {
        case .reachable: false
        case .requiresConnection, .unreachable: reason?.isUndetermined == true ? nil : true
        case .unknown: nil
        }
    }
}
