import Location

// Tracking: the decision about each app, which is independent of its authorization for positions and of whether
// location services are on.

extension Policy {
    /// Whether an app may track the person now. Called before every disclosure of the advertising identifier.
    public func trackingStatus(of app: AppID) -> TrackingAuthorizationStatus {
        if restrictions.limitsTracking { return .restricted }
        guard let state = apps[app] else { return isRestricted(app, fitted: []) ? .restricted : .notDetermined }
        return state.isRestricted ? .restricted : state.tracking.inForce.status
    }

    /// The last decision about tracking by an app, whether or not it is durable.
    public func trackingGrant(of app: AppID) -> TrackingGrant { apps[app]?.tracking.decided ?? TrackingGrant() }

    /// Why nobody has decided about tracking by an app; nil if somebody has, or may at present.
    public func trackingObstacle(of app: AppID) -> TrackingObstacle? {
        guard let state = apps[app], trackingStatus(of: app) == .notDetermined else { return nil }
        if let open = state.openPrompts[.tracking] { return open.isShown ? nil : .agentUnavailable }
        return state.isInUse ? nil : .notInUse
    }

    /// Answers a request for tracking, at once or after the person's decision. The manifest states a purpose.
    mutating func requestTracking(_ id: RequestID, by process: Process, _ state: AppState, _ manifest: Manifest) {
        let app = process.app
        guard trackingStatus(of: app) != .restricted, state.tracking.decided.permission == .notDetermined,
            state.isInUse
        else { return reply(id, aboutTrackingOf: app) }
        if let open = state.openPrompts[.tracking] {
            guard open.isShown else { return reply(id, aboutTrackingOf: app) }
            return join(open.prompt, id, .tracking, by: process)
        }
        raise(.tracking, for: app, manifest, assurance: process.assurance, waiting: (id, process.id))
    }

    /// Sets the decision about tracking by an app.
    mutating func decideTracking(_ permission: TrackingGrant.Permission, for app: AppID, by decider: Grant.Decider) {
        guard let state = apps[app] else { return }
        store(
            TrackingGrant(
                permission: permission, decidedAt: batch.now.utc, decidedBy: decider,
                binding: state.manifest?.binding.digest ?? state.tracking.decided.binding), for: app, by: decider)
    }

    /// Resets the decision about tracking by an app, as if the app had never made a request.
    mutating func forgetTracking(of app: AppID, by decider: Grant.Decider) {
        guard let tracking = apps[app]?.tracking, tracking.decided != TrackingGrant() || tracking.hasLost else {
            return
        }
        store(TrackingGrant(), for: app, by: decider)
    }

    private mutating func store(_ grant: TrackingGrant, for app: AppID, by decider: Grant.Decider) {
        apps[app]?.tracking.decide(grant, token)
        awaiting[token, default: []].insert(app)
        record(
            .trackingAuthorizationChanged, app,
            details: ["status": grant.permission.rawValue, "by": decider.words], change: .tracking(grant))
    }

    /// Performs an operator's command about tracking; a nil permission resets the decision.
    mutating func performTracking(
        _ permission: TrackingGrant.Permission?, for app: AppID, _ id: RequestID, by uid: UInt32
    ) {
        guard manifests[app] != nil || (permission != .authorized && apps[app] != nil) else {
            return batch.effects.append(.reply(id, .refused(.manifestMissing)))
        }
        if permission == .authorized, trackingStatus(of: app) == .restricted {
            return batch.effects.append(.reply(id, .refused(.restricted)))
        }
        remember(app)
        batch.touched.insert(app)
        if let permission {
            decideTracking(permission, for: app, by: .operator(uid: uid))
        } else {
            forgetTracking(of: app, by: .operator(uid: uid))
        }
        reply(id, aboutTrackingOf: app)
    }

    /// Answers a call about tracking once all decisions until now are durable.
    mutating func reply(_ id: RequestID, aboutTrackingOf app: AppID) {
        reply(id, .tracking(app), awaiting: apps[app]?.tracking.awaited)
    }
}
