import Authorization
import Interfaces
import Waking

extension WakeRegistry {
    /// What `waymark apps` shows of waking an app; nil if its manifest names nothing.
    func status(of app: AppID) -> ManageInterface.Waking? {
        guard let wake = declaration(of: app) else { return nil }
        let machine = machines[app] ?? WakeMachine()
        let (record, now) = (machine.record, authorizer.instant)
        let obstacle = machine.refusal(in: situation(of: app), at: now, rules) ?? record.holdRefusal
        let pending =
            record.queue.events.count { $0.subscription.cause != .push && wake.causes.contains($0.subscription.cause) }
            + (wake.causes.contains(.push) ? pendingPushes(of: app).count : 0)
        return ManageInterface.Waking(
            unit: wake.unit, causes: WakeCause.allCases.filter(wake.causes.contains).map(WakingInterface.Cause.init),
            containers: wake.causes.contains(.push)
                ? authorizer.policy.manifests.containers(of: app).map(\.name) : nil,
            pending: Int64(pending + (wake.causes.contains(.regions) ? regions.pendingCount(of: app) : 0)),
            obstacle: obstacle.map(ManageInterface.WakingObstacle.init),
            left: Int64(record.budget.left(at: now.utc, rules)),
            nextAt: record.budget.availableAt(now.utc, rules)?.secondsSinceEpoch,
            lastWoken: record.wokenAt?.secondsSinceEpoch, lastCause: record.wokenFor.map(WakingInterface.Cause.init),
            failures: Int64(record.failures))
    }
}

extension WakeRecord {
    /// Why the app is not woken, whether or not something is pending.
    fileprivate var holdRefusal: WakeMachine.Refusal? {
        switch hold {
        case .forcedQuit(let how, _)?: .forcedQuit(how)
        case .paused(let why, _)?: .paused(why)
        case nil: nil
        }
    }
}

extension ManageInterface.WakingObstacle {
    fileprivate init(_ refusal: WakeMachine.Refusal) {
        self =
            switch refusal {
            case .notAuthorized: .notAuthorized
            case .forcedQuit(let how): Self(rawValue: how.rawValue)
            case .paused(let why): Self(rawValue: why.rawValue)
            case .noHelper: .noHelper
            case .unavailable: .unavailable
            case .budget: .budget
            }
    }
}

extension WakingInterface.Cause {
    /// The word of the interface for an event of a manifest.
    init(_ cause: WakeCause) {
        self =
            switch cause {
            case .regions: .regions
            case .visits: .visits
            case .significantChange: .significantChange
            case .path: .path
            case .target: .target
            case .push: .push
            }
    }
}
