import Authorization
import Journal
import Location
import Platform

/// What is called for an agent.
struct AgentHandlers {
    var uid: UInt32
    var onPrompt: @DaemonActor (Prompt) -> Void
    var onWithdrawn: @DaemonActor (UInt64) -> Void
    var onHolds: @DaemonActor ([HoldSummary]) -> Void
}

/// A background activity session that somebody began.
struct OpenHold {
    var app: AppID
    var process: Policy.ProcessID
    weak var session: ClientSession?
    /// Called once, when it does not count or does no longer.
    var onEnd: @DaemonActor () -> Void
}

// What apps ask for, people answer and operators command.

extension Authorizer {
    /// An app asks; the answer comes when it is decided and durable. One whose person was asked too often is told at
    /// once how it stands.
    func request(
        _ request: Policy.Request, by process: Policy.ProcessID,
        completion: @escaping @DaemonActor (Policy.Reply) -> Void
    ) {
        if let app = policy.app(of: process), isAskedTooOften(app) {
            return completion(.authorizationState(policy.authorizationState(for: app, at: instant)))
        }
        if let app = policy.app(of: process) { refreshPresence(of: app.uid) }
        send(.requested(expect(completion), request, by: process))
    }

    /// An operator commands; the answer comes when that is durable.
    func command(
        _ command: Policy.Command, by uid: UInt32, completion: @escaping @DaemonActor (Policy.Reply) -> Void
    ) {
        switch command {
        case .reset(let app): resetPrompting(of: app)
        case .resetAll: resetPrompting()
        default: break
        }
        send(.commanded(expect(completion), command, by: uid))
    }

    /// Somebody answers a prompt.
    func answer(
        prompt: UInt64, _ choice: PromptChoice, precise: Bool?, by answerer: Policy.Answerer,
        completion: @escaping @DaemonActor (Policy.Reply) -> Void
    ) {
        if case .agent(let uid) = answerer { refreshPresence(of: uid) }
        send(.answered(expect(completion), prompt: prompt, choice, precise: precise, by: answerer))
    }

    /// Somebody takes a prompt away without an answer.
    func dismiss(prompt: UInt64, by answerer: Policy.Answerer) {
        send(.dismissed(prompt: prompt, by: answerer))
    }

    private func expect(_ completion: @escaping @DaemonActor (Policy.Reply) -> Void) -> Policy.RequestID {
        let id = newNumber()
        requests[id] = completion
        return id
    }

    // Agents

    /// Registers an agent of a user: the prompts that nobody has answered, and the background activity sessions there
    /// are, it is told before this returns.
    func registerAgent(
        uid: UInt32, onPrompt: @escaping @DaemonActor (Prompt) -> Void,
        onWithdrawn: @escaping @DaemonActor (UInt64) -> Void,
        onHolds: @escaping @DaemonActor ([HoldSummary]) -> Void
    ) -> Policy.AgentID {
        let id = newNumber()
        agents[id] = AgentHandlers(uid: uid, onPrompt: onPrompt, onWithdrawn: onWithdrawn, onHolds: onHolds)
        recordBounded(Event(.agentRegistered, uid: uid))
        refreshPresence(of: uid)
        send(.agentRegistered(id, uid: uid))
        onHolds(holdSummaries(of: uid))
        return id
    }

    /// An agent is gone.
    func unregisterAgent(_ id: Policy.AgentID) {
        guard let agent = agents.removeValue(forKey: id) else { return }
        recordBounded(Event(.agentUnregistered, uid: agent.uid))
        send(.agentUnregistered(id))
    }

    // Background activity sessions

    /// Begins a session of a client's; nil where its app is not in use. `onEnd` is called when it counts no longer, and
    /// not where `endHold` ends it. One that goes on after a restart need not have its app in use by anything else.
    func beginHold(
        of session: ClientSession, isResumed: Bool = false, onEnd: @escaping @DaemonActor () -> Void
    ) -> Policy.HoldID? {
        guard let process = session.process else { return nil }
        let id = newNumber()
        holds[id] = OpenHold(app: process.app.id, process: process.id, session: session, onEnd: onEnd)
        let effects = send(isResumed ? .holdResumed(id, by: process.id) : .holdBegan(id, by: process.id))
        guard !effects.contains(.holdRefused(id)) else {
            holds[id] = nil
            return nil
        }
        if isResumed { send(.wentOn(process.id)) }
        return id
    }

    /// Ends a session.
    func endHold(_ id: Policy.HoldID) {
        guard holds.removeValue(forKey: id) != nil else { return }
        send(.holdEnded(id))
    }

    func endHolds(where isOver: (OpenHold) -> Bool) {
        for (id, hold) in holds where isOver(hold) {
            endHold(id)
            hold.onEnd()
        }
    }

    func reportHolds(of uid: UInt32) {
        guard agents.values.contains(where: { $0.uid == uid }) else { return }
        let summaries = holdSummaries(of: uid)
        for agent in agents.values where agent.uid == uid { agent.onHolds(summaries) }
    }

    private func holdSummaries(of uid: UInt32) -> [HoldSummary] {
        holds.sorted { $0.key < $1.key }.map(\.value.app).filter { $0.uid == uid }.map { app in
            HoldSummary(app: app, title: policy.manifests[app]?.name ?? LocalizedText(app.name))
        }
    }
}
