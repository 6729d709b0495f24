import Location

// Prompts: showing, answering, dismissing and withdrawing them.

extension Policy {
    /// Shows a prompt to all agents of its user.
    mutating func show(_ prompt: Prompt) {
        apps[prompt.app]?.openPrompts[prompt.kind.subject]?.isShown = true
        promptDeadlines[prompt.id] = batch.now.monotonicNanoseconds + Self.promptNanoseconds
        batch.touched.insert(prompt.app)
        for (agent, uid) in agents where uid == prompt.app.uid {
            batch.effects.append(.show(prompt, to: agent))
        }
        if prompt.kind.isAboutAlways, apps[prompt.app]?.wasAskedAlways == false {
            apps[prompt.app]?.wasAskedAlways = true
            record(.authorizationRequested, prompt.app, details: ["kind": "shown"], change: .wasAskedAlways)
        }
    }

    /// Handles an answer.
    mutating func answer(
        _ id: RequestID, _ number: UInt64, _ choice: PromptChoice, precise: Bool?,
        by answerer: Answerer
    ) {
        guard let prompt = openPrompt(number) else { return batch.effects.append(.reply(id, .unknownPrompt)) }
        let app = prompt.app
        guard mayAnswer(answerer, for: app) else { return batch.effects.append(.reply(id, .notYours)) }
        guard prompt.choices.contains(choice) else {
            return batch.effects.append(.reply(id, .notOffered))
        }
        let accuracy: AccuracyAuthorization? =
            switch prompt.kind {
            case .whenInUse, .always: precise ?? prompt.proposesFullAccuracy ? .full : .reduced
            case .changeToAlways, .confirmAlways, .temporaryFullAccuracy, .tracking: nil
            }
        end(prompt, as: choice.rawValue)
        if prompt.kind == .tracking {
            decideTracking(choice == .allow ? .authorized : .denied, for: app, by: answerer.decider)
        } else {
            apply(
                .answer(prompt.kind, choice), to: app, by: answerer.decider, accuracy: accuracy,
                askedAlways: prompt.kind.isAboutAlways)
        }
        reply(id, about: app, prompt.kind.subject)
    }

    /// Completes the prompts of an app from before a restart, now that a process of the app is identified. Agents that
    /// show such a prompt receive it again.
    mutating func proveIdentity(of app: AppID, by assurance: Assurance) {
        for (subject, open) in apps[app]?.openPrompts ?? [:] where open.prompt.assurance == nil {
            apps[app]?.openPrompts[subject]?.prompt.assurance = assurance
            guard open.isShown, let prompt = apps[app]?.openPrompts[subject]?.prompt else { continue }
            for (agent, uid) in agents where uid == app.uid { batch.effects.append(.show(prompt, to: agent)) }
        }
    }

    /// Dismisses a prompt, which changes nothing.
    mutating func dismiss(_ number: UInt64, by answerer: Answerer) {
        guard let prompt = openPrompt(number), mayAnswer(answerer, for: prompt.app) else { return }
        end(prompt, as: "dismissed")
    }

    /// Ends a prompt: the agents withdraw it, and the calls that wait for it are answered once the end is durable.
    mutating func end(_ prompt: Prompt, as result: String) {
        guard let open = apps[prompt.app]?.openPrompts.removeValue(forKey: prompt.kind.subject) else { return }
        promptApps[prompt.id] = nil
        promptDeadlines[prompt.id] = nil
        if open.isShown { batch.effects.append(.withdraw(prompt)) }
        record(
            .authorizationAnswered, prompt.app, details: ["kind": prompt.kind.word.rawValue, "answer": result],
            change: .promptEnded(prompt.id))
        for id in open.waiting { reply(id, about: prompt.app, prompt.kind.subject) }
    }

    /// Whether the answer could have no effect any more.
    func isMoot(_ prompt: Prompt, _ state: AppState) -> Bool {
        guard services.inForce || prompt.kind == .tracking, !state.isRestricted, let manifest = state.manifest else {
            return true
        }
        switch prompt.kind {
        case .tracking: return state.tracking.decided.permission != .notDetermined || restrictions.limitsTracking
        case .whenInUse, .always: return state.grant.permission != .notDetermined
        case .changeToAlways: return state.grant.permission != .whenInUse || restrictions.limitsToInUse
        case .confirmAlways:
            return state.grant.permission != .provisionalAlways || restrictions.limitsToInUse
        case .temporaryFullAccuracy(let key):
            return !state.grant.permission.isAuthorized || state.grant.accuracy == .full
                || restrictions.limitsToReducedAccuracy || manifest.temporaryUsages[key] == nil
        }
    }

    /// Adds an agent, and shows it the unanswered prompts of its user.
    mutating func register(_ agent: AgentID, of uid: UInt32) {
        guard agents[agent] == nil else { return }
        let isFirst = !agents.values.contains(uid)
        agents[agent] = uid
        for prompt in prompts where prompt.app.uid == uid && mayAskUser(about: prompt.app) {
            if isFirst { show(prompt) } else { batch.effects.append(.show(prompt, to: agent)) }
        }
    }

    /// Removes an agent. If it was the user's last one, the prompts are only listed, and the calls that wait for them
    /// are answered.
    mutating func unregister(_ agent: AgentID) {
        guard let uid = agents.removeValue(forKey: agent), !agents.values.contains(uid) else { return }
        for prompt in prompts where prompt.app.uid == uid { list(prompt) }
    }

    /// Only lists a prompt from now on, and answers the calls that wait for it.
    private mutating func list(_ prompt: Prompt) {
        promptDeadlines[prompt.id] = nil
        let subject = prompt.kind.subject
        apps[prompt.app]?.openPrompts[subject]?.isShown = false
        batch.touched.insert(prompt.app)
        let waiting = apps[prompt.app]?.openPrompts[subject]?.waiting ?? []
        apps[prompt.app]?.openPrompts[subject]?.waiting = []
        for id in waiting { reply(id, about: prompt.app, subject) }
    }

    // Who is asked

    /// Whether the agents of an app's user may show its prompts and answer them.
    ///
    /// An app that depends on its user's own file is only as trustworthy as the programs that could write the file. An
    /// account without a person could otherwise add an app, request positions, and answer with its own agent. So the
    /// user has to be present at the machine; otherwise an operator decides.
    func mayAskUser(about app: AppID) -> Bool { presentUsers.contains(app.uid) || !manifests.isPersonal(app) }

    private func mayAnswer(_ answerer: Answerer, for app: AppID) -> Bool {
        switch answerer {
        case .agent(let uid): uid == app.uid && mayAskUser(about: app)
        case .operator: true
        }
    }

    /// Records whether a user is present at the machine.
    mutating func changePresence(of uid: UInt32, _ isPresent: Bool) {
        if isPresent { presentUsers.insert(uid) } else { presentUsers.remove(uid) }
        reviewPrompts(of: uid)
    }

    /// Shows the prompts that agents may show now, and withdraws those that they may no longer show.
    mutating func reviewPrompts(of uid: UInt32? = nil) {
        for prompt in prompts where uid.map({ $0 == prompt.app.uid }) ?? true {
            let mayShow = agents.values.contains(prompt.app.uid) && mayAskUser(about: prompt.app)
            if mayShow, !isShown(prompt) { show(prompt) }
            if !mayShow, isShown(prompt) {
                batch.effects.append(.withdraw(prompt))
                list(prompt)
            }
        }
    }
}

extension Policy.Answerer {
    fileprivate var decider: Grant.Decider {
        switch self {
        case .agent(let uid): .person(uid: uid)
        case .operator(let uid): .operator(uid: uid)
        }
    }
}

extension Prompt.Kind {
    /// Whether it is about Always, which is asked once only.
    var isAboutAlways: Bool { self == .changeToAlways || self == .confirmAlways }
}
