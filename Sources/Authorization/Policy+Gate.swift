import Location

// The gate, and the state that it reports to apps. Nothing here changes the policy.

extension Policy {
    /// Whether something may be delivered to a process now, and with which accuracy. Called before every delivery. It
    /// needs two look-ups, whatever the number of apps.
    public func decide(for process: ProcessID, at now: Instant) -> Decision {
        guard let app = processes[process]?.process.app else {
            return Decision(.refused(.unidentified), .manifestMissing)
        }
        return decide(for: app, at: now)
    }

    /// Whether something may be delivered to an app now, and with which accuracy: for deliveries while it has no
    /// process.
    public func decide(for app: AppID, at now: Instant) -> Decision {
        let rules = rules(for: app, at: now)
        return Decision(rules.access, rules.diagnostics)
    }

    /// Whether full positions have been permitted to an app without interruption since this instant of CLOCK_MONOTONIC,
    /// in nanoseconds. Called before it receives a position from then. A time without a daemon is no interruption.
    public func couldHaveFull(_ app: AppID, at monotonicNanoseconds: UInt64) -> Bool {
        apps[app]?.fullSince.map { $0 <= monotonicNanoseconds } ?? false
    }

    /// Whether positions may be recorded for an app now.
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

    /// The inputs of a decision about an app.
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

    /// The extent in effect. An authorization for once that has ended is excluded, even before the timer fires.
    private static func extent(of state: AppState, at now: Instant) -> Extent {
        guard state.inForce.permission == .once else { return state.inForce }
        let isOver = state.lapsesAt.map { $0 <= now.monotonicNanoseconds } ?? false
        return isOver || state.awaitsReturn ? Extent() : state.inForce
    }
}
