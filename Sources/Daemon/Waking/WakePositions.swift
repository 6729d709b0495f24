import Authorization
import Location
import Platform
import Tracking
import Waking

/// Observes visits and significant changes for the apps that have requested to be woken for them, whether or not they run.
///
/// Only apps that are authorized always with full accuracy take part: nothing is observed for any other. No position is
/// stored here, and none is in an event.
@DaemonActor
final class WakePositions {
    private let registry: WakeRegistry
    private let pipeline: Pipeline
    /// The apps that are woken for visits.
    private(set) var visitors: Set<AppID> = []
    /// The apps that are woken for significant changes, and the fix from which the next one counts.
    private var movers: [AppID: Subscription] = [:]
    private var isNeeding = false

    init(registry: WakeRegistry, pipeline: Pipeline) {
        self.registry = registry
        self.pipeline = pipeline
        registry.positions = self
    }

    /// What the significant changes need of the receiver: a fix first, and then one now and then.
    var occasionalNeeds: [ReceiverPlan.Need] {
        guard let dueAt = movers.values.lazy.map(\.dueAt).min() else { return [] }
        return [dueAt == 0 ? .fix : .significantChange(dueAt: dueAt)]
    }

    /// Requests or authorizations have changed.
    func review() {
        visitors = Set(registry.apps(with: .visits).filter { registry.mayObserve(.visits, $0) })
        let apps = registry.apps(with: .significantChange).filter { registry.mayObserve(.significantChange, $0) }
        movers = movers.filter { apps.contains($0.key) }
        for app in apps where movers[app] == nil { movers[app] = .significantChanges }
        if visitors.isEmpty == isNeeding {
            isNeeding.toggle()
            if isNeeding { pipeline.need() } else { pipeline.release() }
        }
        pipeline.sleep?.review()
    }

    /// Handles a fix that the filter accepted. The first one for an app is only the place from which it moves.
    func deliver(_ fix: Fix) {
        for app in Array(movers.keys) {
            guard registry.mayObserve(.significantChange, app), var subscription = movers[app] else { continue }
            let isFirst = subscription.dueAt == 0
            let decision = subscription.decide(fix)
            movers[app] = subscription
            if decision == .deliver, !isFirst { registry.add(.significantChange, app) }
        }
    }

    /// A visit of an app has begun or ended.
    func visited(_ app: AppID) {
        if visitors.contains(app) { registry.add(.visits, app) }
    }
}
