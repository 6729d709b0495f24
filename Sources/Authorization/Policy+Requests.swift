import Location

// Requests of apps, and the prompts that they raise.

extension Policy {
    /// Answers a request, at once or after the person's decision.
    mutating func request(_ id: RequestID, _ request: Request, by processID: ProcessID) {
        guard let process = processes[processID]?.process, let state = apps[process.app] else {
            return batch.effects.append(.reply(id, .refused(.unidentified)))
        }
        guard let manifest = state.manifest else {
            return batch.effects.append(.reply(id, .refused(.manifestMissing)))
        }
        if let key = manifest.missingPurpose(of: request) {
            return batch.effects.append(.reply(id, .purposeMissing(key: key)))
        }
        if request == .tracking { return requestTracking(id, by: process, state, manifest) }
        let app = process.app
        guard services.inForce, !state.isRestricted else { return reply(id, about: app) }
        // After a restart of the daemon, processes that had an authorization for once report again before they request anything. This
        // one has not, so that it is a new process, for which that authorization has ended.
        if state.awaitsReturn, state.grant.isOnce { apply(.leftUse, to: app, by: .rule) }
        guard let trigger = trigger(of: request),
            case .asks(let kind) = Transitions.outcome(of: trigger, on: apps[app]?.grant ?? Grant())
        else {
            return reply(id, about: app, adding: restriction(of: request))
        }
        if case .temporaryFullAccuracy = kind {
            if restrictions.limitsToReducedAccuracy {
                return reply(id, about: app, adding: .fullAccuracyDenied)
            }
            if state.temporary == .inForce { return reply(id, about: app) }
            if case .awaiting(let token) = state.temporary {
                return replies[token, default: []].append((id, .authorization(app)))
            }
        }
        guard state.isInUse else { return reply(id, about: app, adding: .insufficientlyInUse) }
        if let open = state.openPrompt {
            guard open.isShown else { return reply(id, about: app) }
            return join(open.prompt, id, kind, by: process)
        }
        raise(kind, for: app, manifest, assurance: process.assurance, waiting: (id, processID))
    }

    /// Handles a request while a prompt of the app is shown. Another process than the one that asked, such as the app
    /// after its restart, receives the answer to the same prompt.
    mutating func join(_ prompt: Prompt, _ id: RequestID, _ kind: Prompt.Kind, by process: Process) {
        let (app, subject) = (process.app, kind.subject)
        guard prompt.kind == kind, apps[app]?.openPrompts[subject]?.requesters.insert(process.id).inserted == true
        else {
            return batch.effects.append(.reply(id, .requestInProgress(authorizationState(for: app, at: batch.now))))
        }
        apps[app]?.openPrompts[subject]?.waiting.append(id)
    }

    /// Where Always is forbidden, a request for it is treated as one for when-in-use. Nil for a request that is not about
    /// positions.
    private func trigger(of request: Request) -> Transitions.Trigger? {
        switch request {
        case .whenInUse: .requestWhenInUse
        case .always: restrictions.limitsToInUse ? .requestWhenInUse : .requestAlways
        case .temporaryFullAccuracy(let key): .requestTemporaryFullAccuracy(key: key)
        case .tracking: nil
        }
    }

    private func restriction(of request: Request) -> Diagnostics {
        request == .always && restrictions.limitsToInUse ? .alwaysAuthorizationDenied : []
    }

    private mutating func reply(_ id: RequestID, about app: AppID, adding more: Diagnostics) {
        guard apps[app]?.decisions.awaited == nil else { return reply(id, about: app) }
        let authorizationState = authorizationState(for: app, at: batch.now)
        batch.effects.append(
            .reply(
                id,
                .authorizationState(
                    AuthorizationState(
                        authorizationState.status, authorizationState.accuracy,
                        authorizationState.diagnostics.union(more)))))
    }

    /// Raises a prompt for a provisional Always when its first position in the background is due.
    mutating func positionDue(to app: AppID) {
        guard let state = apps[app], let manifest = state.manifest, !state.isInUse,
            state.openPrompt == nil,
            services.inForce, !state.isRestricted, !restrictions.limitsToInUse,
            !state.wasAskedInBackground,
            case .asks(let kind) = Transitions.outcome(of: .positionDueInBackground, on: state.grant)
        else { return }
        apps[app]?.wasAskedInBackground = true
        let assurance = state.processes.compactMap { processes[$0]?.process.assurance }.min()
        raise(kind, for: app, manifest, assurance: assurance, waiting: nil)
        // If the app's texts could not be read, there was no prompt.
        if apps[app]?.openPrompt == nil { apps[app]?.wasAskedInBackground = false }
    }

    mutating func raise(
        _ kind: Prompt.Kind, for app: AppID, _ manifest: Manifest, assurance: Assurance?,
        waiting call: (id: RequestID, process: ProcessID)?
    ) {
        // A prompt always contains the app's own texts.
        guard let name = manifest.name.inMemory, let purpose = manifest.purpose(of: kind).inMemory else {
            if let call { batch.effects.append(.reply(call.id, .purposeMissing(key: Manifest.purposeKey(of: kind)))) }
            return
        }
        let prompt = Prompt(
            id: nextPrompt, app: app, kind: kind, name: name, purpose: purpose,
            assurance: assurance, proposesFullAccuracy: !manifest.isDefaultAccuracyReduced)
        nextPrompt += 1
        promptApps[prompt.id] = app
        apps[app]?.openPrompts[kind.subject] = AppState.OpenPrompt(
            prompt: prompt, requesters: Set(call.map { [$0.process] } ?? []))
        record(.authorizationRequested, app, details: ["kind": kind.word.rawValue], change: .prompt(prompt))
        if agents.values.contains(app.uid), mayAskUser(about: app) {
            if let call { apps[app]?.openPrompts[kind.subject]?.waiting.append(call.id) }
            show(prompt)
        } else if let call {
            reply(call.id, about: app, kind.subject)
        }
    }
}

extension Manifest {
    /// The key that the manifest lacks for a request; nil if it lacks none.
    func missingPurpose(of request: Policy.Request) -> String? {
        func isMissing(_ text: LocalizedText?) -> Bool { text?.isEmpty ?? true }
        switch request {
        case .whenInUse, .always:
            if isMissing(whenInUseUsage) { return Self.purposeKey(of: .whenInUse) }
            return request == .always && isMissing(alwaysUsage) ? Self.purposeKey(of: .always) : nil
        case .temporaryFullAccuracy(let key): return isMissing(temporaryUsages[key]) ? key : nil
        case .tracking: return isMissing(trackingUsage) ? Self.purposeKey(of: .tracking) : nil
        }
    }

    /// The key of the purpose in the manifest for a kind of prompt.
    static func purposeKey(of kind: Prompt.Kind) -> String {
        switch kind {
        case .whenInUse: "WhenInUseUsageDescription"
        case .always, .changeToAlways, .confirmAlways: "AlwaysAndWhenInUseUsageDescription"
        case .temporaryFullAccuracy(let key): key
        case .tracking: "UserTrackingUsageDescription"
        }
    }

    /// The purpose in the manifest for a kind of prompt.
    func purpose(of kind: Prompt.Kind) -> LocalizedText {
        switch kind {
        case .whenInUse: whenInUseUsage ?? LocalizedText("")
        case .always, .changeToAlways, .confirmAlways: alwaysUsage ?? LocalizedText("")
        case .temporaryFullAccuracy(let key): temporaryUsages[key] ?? LocalizedText("")
        case .tracking: trackingUsage ?? LocalizedText("")
        }
    }
}
