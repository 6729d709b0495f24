import Location

// The gate, and what it says to apps: nothing here changes anything.

extension Policy {
    /// Whether something may be delivered to a process now, and how exactly: asked before every delivery. Two look-ups,
    /// however many apps there are.
    public func decide(for process: ProcessID, at now: Instant) -> Decision {
        guard let app = processes[process]?.process.app else {
            return Decision(.refused(.unidentified), .manifestMissing)
        }
        return decide(for: app, at: now)
    }

    /// Whether something may be delivered to an app now, and how exactly: for what it gets while none of its processes
    /// runs.
    public func decide(for app: AppID, at now: Instant) -> Decision {
        let rules = rules(for: app, at: now)
        return Decision(rules.access, rules.diagnostics)
    }

    /// Whether an app may have full positions, and could at this instant of CLOCK_MONOTONIC, in nanoseconds, and ever since:
    /// asked before it gets one that came then. That there was no daemon for a time is no break.
    public func couldHaveFull(_ app: AppID, at monotonicNanoseconds: UInt64) -> Bool {
        apps[app]?.fullSince.map { $0 <= monotonicNanoseconds } ?? false
    }

    /// Whether something may be recorded for an app now.
    public func decideRecording(for app: AppID, at now: Instant) -> Decision {
        let decision = decide(for: app, at: now)
        guard decision.refusal == nil else { return decision }
        guard !restrictions.limitsRecording else {
            return Decision(.refused(.restricted), .authorizationRestricted)
        }
        guard apps[app]?.manifest?.recordsForPurpose == true else {
            return Decision(.refused(.denied), .authorizationDenied)
        }
        return decision
    }

    /// The authorization state that is reported to a process of an app.
    public func authorizationState(for process: ProcessID, at now: Instant) -> AuthorizationState {
        guard let app = processes[process]?.process.app else {
            return AuthorizationState(.notDetermined, .full, .manifestMissing)
        }
        return authorizationState(for: app, at: now)
    }

    /// The authorization state that is reported to an app.
    public func authorizationState(for app: AppID, at now: Instant) -> AuthorizationState {
        let rules = rules(for: app, at: now)
        var diagnostics = rules.diagnostics
        if let state = apps[app], rules.areServicesOn, !rules.isRestricted, rules.hasManifest {
            if let open = state.openPrompt {
                diagnostics.insert(open.isShown ? .authorizationRequestInProgress : .agentUnavailable)
            }
            if state.temporary == .refused { diagnostics.insert(.fullAccuracyDenied) }
            if state.inForce.permission == .whenInUse, state.wasAskedAlways,
                state.openPrompt?.prompt.kind != .changeToAlways
            {
                diagnostics.insert(.alwaysAuthorizationDenied)
            }
        }
        return AuthorizationState(rules.status, rules.accuracy, diagnostics)
    }

    /// What bears on an app.
    func rules(for app: AppID, at now: Instant) -> Rules {
        guard let state = apps[app] else {
            return Rules(
                areServicesOn: services.inForce, isRestricted: isRestricted(app, fitted: []),
                limitsToInUse: restrictions.limitsToInUse,
                limitsToReducedAccuracy: restrictions.limitsToReducedAccuracy,
                hasManifest: manifests[app] != nil,
                isInUse: false, hasTemporaryFullAccuracy: false, extent: Extent())
        }
        return Rules(
            areServicesOn: services.inForce, isRestricted: state.isRestricted,
            limitsToInUse: restrictions.limitsToInUse,
            limitsToReducedAccuracy: restrictions.limitsToReducedAccuracy,
            hasManifest: state.manifest != nil, isInUse: state.isInUse,
            hasTemporaryFullAccuracy: state.temporary == .inForce,
            extent: Self.extent(of: state, at: now))
    }

    /// What is in force, also where the timer is late.
    private static func extent(of state: AppState, at now: Instant) -> Extent {
        guard state.inForce.permission == .once else { return state.inForce }
        let isOver = state.lapsesAt.map { $0 <= now.monotonicNanoseconds } ?? false
        return isOver || state.awaitsReturn ? Extent() : state.inForce
    }
}
