import Events
import Location

// How what is stored changes: by the table of `Transitions`, durable before it widens anything.

extension Policy {
    /// Applies a row of the table to an app.
    mutating func apply(
        _ trigger: Transitions.Trigger, to app: AppID, by decider: Grant.Decider,
        accuracy: AccuracyAuthorization? = nil, askedAlways: Bool = false
    ) {
        guard let state = apps[app] else { return }
        turn.touched.insert(app)
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
            grant.decidedAt = turn.now.utc
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
            // Once more also where it is forgotten already, but that could not be stored.
            if grant != Grant() || state.decisions.hasLost { store(Grant(), for: app, as: .authorizationReset) }
            return
        }
        if grant != state.grant { record(.authorizationRequested, app, change: .wasAskedAlways) }
    }

    private mutating func store(_ grant: Grant, for app: AppID, as kind: EventKind) {
        apps[app]?.decisions.decide(grant, token)
        endReturn(of: app)
        awaiting[token, default: []].insert(app)
        turn.touched.insert(app)
        if !grant.isOnce {
            apps[app]?.lapsesAt = nil
            lapsing.remove(app)
        }
        var details = ["status": grant.permission.rawValue, "accuracy": grant.accuracy.rawValue]
        switch grant.decidedBy {
        case .person(let uid): details["by"] = "person \(uid)"
        case .operator(let uid): details["by"] = "operator \(uid)"
        case .rule, nil: details["by"] = "rule"
        }
        record(kind, app, details: details, change: .grant(grant))
    }

    /// What is to be stored with the event at hand.
    mutating func record(
        _ kind: EventKind, _ app: AppID?, details: [String: String] = [:],
        change: Record.Change? = nil
    ) {
        turn.records.append(Record(kind: kind, app: app, details: details, change: change))
        if let app { turn.touched.insert(app) }
    }

    /// Puts in force what has become durable, and answers who waited for it.
    mutating func persisted(_ token: Token) {
        change(services: { $0.persisted(token) })
        for app in awaiting.removeValue(forKey: token) ?? [] {
            apps[app]?.decisions.persisted(token)
            if apps[app]?.temporary == .awaiting(token) { apps[app]?.temporary = .inForce }
            turn.touched.insert(app)
        }
        for (id, app) in replies.removeValue(forKey: token) ?? [] {
            turn.effects.append(
                .reply(id, app.map { .authorizationState(authorizationState(for: $0, at: turn.now)) } ?? .done))
        }
    }

    /// Goes back to what is durable, as far as that is less, and replies to the pending requests.
    mutating func notPersisted(_ token: Token) {
        change(services: { $0.lost(token) })
        for app in awaiting.removeValue(forKey: token) ?? [] {
            apps[app]?.decisions.lost(token)
            if apps[app]?.temporary == .awaiting(token) { apps[app]?.temporary = .none }
            turn.touched.insert(app)
        }
        for (id, _) in replies.removeValue(forKey: token) ?? [] { turn.effects.append(.reply(id, .notStored)) }
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
                    return turn.effects.append(.reply(id, .refused(.manifestMissing)))
                }
                if rules(for: app, at: turn.now).isRestricted {
                    return turn.effects.append(.reply(id, .refused(.restricted)))
                }
            } else if apps[app] == nil, manifests[app] == nil {
                return turn.effects.append(.reply(id, .refused(.manifestMissing)))
            }
            remember(app)
            apps[app]?.temporary = .none
            apply(.set(permission), to: app, by: .operator(uid: uid), accuracy: accuracy)
            reply(id, about: app)
        case .reset(let app):
            apply(.reset, to: app, by: .operator(uid: uid))
            reply(id, about: app)
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

    /// Answers a call once everything that was decided until now is durable.
    mutating func reply(_ id: RequestID, about app: AppID?) {
        if !turn.records.isEmpty {
            replies[token, default: []].append((id, app))
        } else if let awaited = app.map({ apps[$0]?.decisions.awaited }) ?? services.awaited {
            replies[awaited, default: []].append((id, app))
        } else {
            turn.effects.append(
                .reply(id, app.map { .authorizationState(authorizationState(for: $0, at: turn.now)) } ?? .done))
        }
    }
}
