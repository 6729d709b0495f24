import Authorization
import Containers
import Platform
import Waking

// Pushes: changes of records on other machines, as waymark-sync reports them.

extension WakeRegistry {
    /// Records of a container have changed elsewhere: an event for each app of a scope whose manifest names the container and is
    /// woken for pushes. The completion follows when all events are stored, or as soon as one cannot be: then `problem`
    /// is the reason.
    func push(
        _ container: SyncedContainer, fired: [FiredSubscription], to scope: WakeScope,
        completion: @escaping @DaemonActor () -> Void
    ) {
        let apps = scope.apps(in: authorizer.policy.manifests).filter { app in
            declaration(of: app)?.causes.contains(.push) == true
                && authorizer.policy.manifests.containers(of: app).contains(container)
        }
        let time = authorizer.instant.utc
        guard !apps.isEmpty else { return completion() }
        let results = PushResults(count: apps.count, completion)
        for app in apps {
            change(app, { $0.push(container, fired: fired, at: time) }) { [weak self] in
                guard let self else { return }
                service?.stored(app)
                // Only now is `problem` about this record: the next one that is stored resets it.
                results.receive(isStored: problem == nil)
            }
            review(app)
        }
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

/// The results of storing the records that a push changes.
@DaemonActor
final class PushResults {
    private var pending: Int
    private var completion: (@DaemonActor () -> Void)?

    /// The results of this many records. The completion runs once: when all are stored, or with the first that is not.
    init(count: Int, _ completion: @escaping @DaemonActor () -> Void) {
        pending = count
        self.completion = completion
    }

    /// Receives the result of one record.
    func receive(isStored: Bool) {
        pending -= 1
        guard pending == 0 || !isStored, let completion else { return }
        self.completion = nil
        completion()
    }
}
