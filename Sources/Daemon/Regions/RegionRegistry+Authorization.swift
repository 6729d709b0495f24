import Authorization
import Location
import Platform
import RegionStorage

// Whose regions are monitored, and what is erased because it may not be known any more.

extension RegionRegistry {
    /// Whether the regions of an owner are monitored, and may be disclosed to it.
    func decide(_ owner: RegionOwner, at now: Instant) -> RegionDecision {
        guard let app = owner.appID else { return Policy.decideRegions(isOperator: operators.contains(owner.uid)) }
        return authorizer.policy.decideRegions(for: app, at: now)
    }

    /// Evaluates the regions of an app again, because its authorization may have changed.
    func review(_ app: AppID) {
        let owner = RegionOwner(app)
        guard state == .ready else {
            guard authorizer.isLoaded else { return }
            let decision = decide(owner, at: authorizer.instant)
            if isWithdrawn(owner, decision), let refusal = decision.refusal { earlyWithdrawals.add(owner, refusal) }
            return
        }
        if let watch = watches[owner] { review(watch) }
    }

    /// Evaluates the regions of all owners again.
    func reviewAll() {
        guard authorizer.isLoaded else { return }
        guard state == .ready else {
            if !authorizer.policy.areServicesOn { earlyWithdrawals.servicesWereOff = true }
            return
        }
        for watch in Array(watches.values) {
            // The regions' apps have to be known, also without a program that runs.
            if !watch.monitors.isEmpty, watch.owner.app != nil { readiness.whenReady(for: watch.owner.uid) {} }
            review(watch)
        }
    }

    func review(_ watch: RegionWatch) {
        guard authorizer.isLoaded, state == .ready else { return }
        let decision = decide(watch.owner, at: authorizer.instant)
        watch.refusal = decision.refusal
        if decision.refusal != .refused(.alwaysUnconfirmed) { watch.hasAsked = false }
        if watch.erasure == .failed || watch.erasure == .none && isWithdrawn(watch.owner, decision) {
            forget(watch, because: decision)
        } else if decision.isPermitted, watch.erasure == .done {
            watch.erasure = .none
        }
        let isMonitoring = decision.isPermitted && watch.isReadable && watch.regionCount > 0
        if !isMonitoring {
            droppedCount += watch.track?.dropped ?? 0
            watch.track = nil
        } else if watch.track == nil {
            watch.track = RegionTrack(rules: rules)
            watch.evaluation += 1
        }
        use(feed(of: watch), for: watch)
        changes.report(.regionAccessChanged(watch.owner))
    }

    /// Whether what is known about the regions is to be erased. A restriction to no access, a missing manifest, and leaving
    /// use only interrupt.
    private func isWithdrawn(_ owner: RegionOwner, _ decision: RegionDecision) -> Bool {
        guard let app = owner.appID else { return false }
        switch decision.refusal {
        case nil: return false
        case .accuracyReduced, .refused(.deniedGlobally): return true
        case .refused:
            // An app that is not in use is refused for that reason first, also if its accuracy was reduced meanwhile.
            let grant = authorizer.policy.grant(of: app)
            return grant.isWithdrawn || grant.accuracy == .reduced
        }
    }
}

/// Who was not authorized at some time since the start while the stored regions could not be read, for example because the
/// data is locked. What is known about these regions is erased first, also if they are authorized by then.
struct EarlyWithdrawals {
    /// Whether location services were off, so that no app was authorized.
    var servicesWereOff = false
    private var refusals: [RegionOwner: RegionDecision.Refusal] = [:]

    /// The most apps that are remembered. Beyond these every app counts as one, so that nothing is disclosed.
    private static let most = 4_096

    /// An app is not authorized, for this reason.
    mutating func add(_ owner: RegionOwner, _ refusal: RegionDecision.Refusal) {
        guard refusals.count < Self.most else { return servicesWereOff = true }
        refusals[owner] = refusal
    }

    /// Why an owner was not authorized; nil if that is not known.
    subscript(owner: RegionOwner) -> RegionDecision.Refusal? {
        refusals[owner] ?? (servicesWereOff && owner.app != nil ? .refused(.deniedGlobally) : nil)
    }
}
