import Events
import Location

// Changes of stored grants: by the table in `Transitions`, and durable before they widen anything.

extension Policy {
    /// Applies an event of the table to an app.
    mutating func apply(
        _ trigger: Transitions.Trigger, to app: AppID, by decider: Grant.Decider,
        accuracy: AccuracyAuthorization? = nil, askedAlways: Bool = false
    ) {
        guard let state = apps[app] else { return }
        batch.touched.insert(app)
        var grant = state.grant
        if askedAlways, !state.wasAskedAlways {
            apps[app]?.wasAskedAlways = true
            grant.wasAskedAlways = true
        }
        switch Transitions.outcome(of: trigger, on: state.grant) {
        case .stays, .asks: break
        case .becomes(let permission):
            let hadAny = grant.permission.isAuthorized
            grant.permission = permission
            grant.accuracy =
                permission.isAuthorized
                ? accuracy ?? (hadAny ? grant.accuracy : state.manifest?.defaultAccuracy ?? .full) : .full
            grant.decidedAt = batch.now.utc
            grant.decidedBy = decider
            grant.binding = state.manifest?.binding.digest ?? grant.binding
            store(grant, for: app, as: .authorizationChanged)
            return
        case .fullAccuracyForNow:
            apps[app]?.returning?.continuation.hasTemporaryFullAccuracy = false
            guard state.isInUse else { break }
            apps[app]?.temporary = .awaiting(token)
            awaiting[token, default: []].insert(app)
            record(.authorizationChanged, app, details: ["accuracy": "temporaryFull"])
        case .fullAccuracyRefused:
            apps[app]?.returning?.continuation.hasTemporaryFullAccuracy = false
            if state.isInUse { apps[app]?.temporary = .refused }
        case .forgotten:
            apps[app]?.temporary = .none
            apps[app]?.wasAskedInBackground = false
            apps[app]?.wasAskedAlways = false
            endReturn(of: app)
            forgetTracking(of: app, by: decider)
            // Also if it was already reset and that could not be stored.
            if grant != Grant() || state.decisions.hasLost { store(Grant(), for: app, as: .authorizationReset) }
            return
        }
        if grant != state.grant { record(.authorizationRequested, app, change: .wasAskedAlways) }
    }

    private mutating func store(_ grant: Grant, for app: AppID, as kind: EventKind) {
        apps[app]?.decisions.decide(grant, token)
        endReturn(of: app)
        awaiting[token, default: []].insert(app)
        batch.touched.insert(app)
        if !grant.isOnce {
            apps[app]?.lapsesAt = nil
            lapsing.remove(app)
        }
        let details = [
            "status": grant.permission.rawValue, "accuracy": grant.accuracy.rawValue,
            "by": (grant.decidedBy ?? .rule).words,
        ]
        record(kind, app, details: details, change: .grant(grant))
    }

    /// Adds a record to the transaction of the current event.
    mutating func record(
        _ kind: EventKind, _ app: AppID?, details: [String: String] = [:],
        change: Record.Change? = nil
    ) {
        batch.records.append(Record(kind: kind, app: app, details: details, change: change))
        if let app { batch.touched.insert(app) }
    }

    /// Puts changes into effect that have become durable, and answers the calls that waited for them.
    mutating func persisted(_ token: Token) {
        change(services: { $0.persisted(token) })
        for app in awaiting.removeValue(forKey: token) ?? [] {
            apps[app]?.decisions.persisted(token)
            apps[app]?.tracking.persisted(token)
            if apps[app]?.temporary == .awaiting(token) { apps[app]?.temporary = .inForce }
            batch.touched.insert(app)
        }
        for (id, subject) in replies.removeValue(forKey: token) ?? [] {
            batch.effects.append(.reply(id, reply(about: subject)))
        }
    }

    /// Discards the widening part of changes that could not be stored, and answers the calls that waited for them.
    mutating func notPersisted(_ token: Token) {
        change(services: { $0.lost(token) })
        for app in awaiting.removeValue(forKey: token) ?? [] {
            apps[app]?.decisions.lost(token)
            apps[app]?.tracking.lost(token)
            if apps[app]?.temporary == .awaiting(token) { apps[app]?.temporary = .none }
            batch.touched.insert(app)
        }
        for (id, _) in replies.removeValue(forKey: token) ?? [] { batch.effects.append(.reply(id, .notStored)) }
    }

    private mutating func change(services change: (inout Ledger<Bool>) -> Void) {
        let wereOn = services.inForce
        change(&services)
        if services.inForce != wereOn { touchAll() }
    }

    /// Performs an operator's command.
    mutating func perform(_ command: Command, _ id: RequestID, by uid: UInt32) {
        switch command {
        case .set(let app, let permission, let accuracy):
            if permission.isAuthorized {
                if manifests[app] == nil {
                    return batch.effects.append(.reply(id, .refused(.manifestMissing)))
                }
                if rules(for: app, at: batch.now).isRestricted {
                    return batch.effects.append(.reply(id, .refused(.restricted)))
                }
            } else if apps[app] == nil, manifests[app] == nil {
                return batch.effects.append(.reply(id, .refused(.manifestMissing)))
            }
            remember(app)
            apps[app]?.temporary = .none
            apply(.set(permission), to: app, by: .operator(uid: uid), accuracy: accuracy)
            reply(id, about: app)
        case .setTracking(let app, let permission): performTracking(permission, for: app, id, by: uid)
        case .reset(let app):
            apply(.reset, to: app, by: .operator(uid: uid))
            // An earlier reset may have reset both decisions already, in a transaction that is not durable yet.
            reply(id, .authorization(app), awaiting: apps[app]?.awaited)
        case .resetAll:
            for app in Array(apps.keys) { apply(.reset, to: app, by: .operator(uid: uid)) }
            reply(id, about: nil)
        case .setServices(let isOn):
            if isOn != services.decided || services.hasLost {
                services.decide(isOn, token)
                record(
                    isOn ? .servicesOn : .servicesOff, nil, details: ["by": "operator \(uid)"],
                    change: .services(isOn: isOn))
                touchAll()
            }
            reply(id, about: nil)
        }
    }

    /// Answers a call about an app, or a command about all apps, once all decisions until now are durable.
    mutating func reply(_ id: RequestID, about app: AppID?, _ subject: Prompt.Subject = .positions) {
        guard let app else {
            let awaited = [services.awaited] + apps.values.map(\.awaited)
            // Transactions become durable in the order of their tokens.
            return reply(id, .command, awaiting: awaited.compactMap { $0 }.max())
        }
        switch subject {
        case .positions: reply(id, .authorization(app), awaiting: apps[app]?.decisions.awaited)
        case .tracking: reply(id, aboutTrackingOf: app)
        }
    }

    /// Answers a call once the current event's transaction is durable, or without one the awaited transaction.
    mutating func reply(_ id: RequestID, _ subject: ReplySubject, awaiting awaited: Token?) {
        if let token = batch.records.isEmpty ? awaited : token {
            replies[token, default: []].append((id, subject))
        } else {
            batch.effects.append(.reply(id, reply(about: subject)))
        }
    }

    private func reply(about subject: ReplySubject) -> Reply {
        switch subject {
        case .authorization(let app): .authorizationState(authorizationState(for: app, at: batch.now))
        case .tracking(let app): .tracking(trackingStatus(of: app), trackingObstacle(of: app))
        case .command: .done
        }
    }
}
