import Location

// What precedes and follows every event.

extension Policy {
    /// Handles the deadlines that have passed.
    mutating func lapse() {
        let now = batch.now.monotonicNanoseconds
        for (number, deadline) in promptDeadlines where deadline <= now {
            guard let prompt = openPrompt(number) else { continue }
            end(prompt, as: "dismissed")
        }
        for app in lapsing {
            guard let lapsesAt = apps[app]?.lapsesAt, lapsesAt <= now else { continue }
            apply(.leftUse, to: app, by: .rule)
            batch.touched.insert(app)
        }
        for app in returning where apps[app]?.returning?.isOver(at: now) ?? true { endReturn(of: app) }
    }

    /// Completes the handling of an event for the apps that it affected, and returns the effects.
    mutating func finish() -> [Effect] {
        for app in batch.touched {
            resumeTemporary(of: app)
            endOnce(of: app)
            for subject in Prompt.Subject.allCases {
                guard let state = apps[app], let open = state.openPrompts[subject], isMoot(open.prompt, state) else {
                    continue
                }
                end(open.prompt, as: "withdrawn")
            }
            notify(app)
            keepOn(app)
            if apps[app]?.isForgettable == true { apps[app] = nil }
        }
        if batch.changesContinuing { batch.effects.append(.keepContinuing) }
        if !batch.records.isEmpty {
            batch.effects.append(.persist(token, batch.records))
            token += 1
        }
        let returns = returning.compactMap { apps[$0]?.returning?.end }
        let deadline = (lapsing.compactMap { apps[$0]?.lapsesAt } + promptDeadlines.values + returns).min()
        if deadline != armed {
            armed = deadline
            batch.effects.append(.arm(deadline))
        }
        return batch.effects
    }

    /// If the app is not in use: ends its authorization for once, or sets the deadline at which it ends.
    private mutating func endOnce(of app: AppID) {
        guard let state = apps[app] else { return }
        if state.grant.isOnce, !state.isInUse, state.processes.isEmpty, !state.awaitsReturn {
            apply(.leftUse, to: app, by: .rule)
        }
        let isEnding = apps[app]?.grant.isOnce == true && (!state.isInUse || state.awaitsReturn)
        if !isEnding {
            apps[app]?.lapsesAt = nil
            lapsing.remove(app)
        } else if state.lapsesAt == nil {
            apps[app]?.lapsesAt = batch.now.monotonicNanoseconds + Self.onceLapseNanoseconds
            lapsing.insert(app)
        }
    }

    /// Reports changes to an app's streams.
    private mutating func notify(_ app: AppID) {
        let authorizationState = authorizationState(for: app, at: batch.now)
        let decision = decide(for: app, at: batch.now)
        let refusal = decision.refusal
        if decision.access != .full {
            apps[app]?.fullSince = nil
        } else if apps[app]?.fullSince == nil {
            apps[app]?.fullSince = batch.isStart ? 0 : batch.now.monotonicNanoseconds
        }
        if let reported = apps[app]?.reported {
            if reported.authorizationState != authorizationState {
                batch.effects.append(.authorizationChanged(app, authorizationState))
            }
            if let refusal, reported.refusal != refusal { batch.effects.append(.paused(app, refusal)) }
            if refusal == nil, reported.refusal != nil { batch.effects.append(.resumed(app)) }
        }
        apps[app]?.reported = (authorizationState, refusal)
    }
}
