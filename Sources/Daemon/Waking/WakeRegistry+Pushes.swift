import Authorization
import Containers
import Platform
import Waking

// Pushes: changes of records on other machines, as waymark-sync reports them.

extension WakeRegistry {
    /// Records of a container have changed elsewhere: an event for each app of a scope whose manifest names the container and is
    /// woken for pushes. The completion follows when all events are stored, or cannot be.
    func push(
        _ container: SyncedContainer, fired: [FiredSubscription], to scope: WakeScope,
        completion: @escaping @DaemonActor () -> Void
    ) {
        let apps = scope.apps(in: authorizer.policy.manifests).filter { app in
            declaration(of: app)?.causes.contains(.push) == true
                && authorizer.policy.manifests.containers(of: app).contains(container)
        }
        let time = authorizer.instant.utc
        for app in apps {
            change(app, { $0.push(container, fired: fired, at: time) }) { [weak self] in self?.service?.stored(app) }
            review(app)
        }
        whenAllStored(apps[...], completion)
    }

    private func whenAllStored(_ apps: ArraySlice<AppID>, _ body: @escaping @DaemonActor () -> Void) {
        guard let first = apps.first else { return body() }
        whenStored(first) { [weak self] in self?.whenAllStored(apps.dropFirst(), body) }
    }

    /// The pending events of containers that the manifest of an app still names.
    func pendingPushes(of app: AppID) -> [(container: SyncedContainer, event: WakeEvent)] {
        let named = authorizer.policy.manifests.containers(of: app)
        return (machines[app]?.record.queue.events ?? []).compactMap { event in
            guard case .push(let container) = event.subscription, named.contains(container) else { return nil }
            return (container, event)
        }
    }
}
