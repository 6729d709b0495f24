import Authorization
import Interfaces
import Journal
import Location
import Platform
import Varlink

/// `io.waymark.Agent`: shows the prompts of a user's apps to that user's agents, and receives the answers.
@DaemonActor
final class AgentService {
    /// The programs that may be agents.
    var programs: AgentPrograms
    private let authorizer: Authorizer
    private let clients: Clients
    private let prompts: Prompts
    private let users: UserStates
    private let holds: Holds
    private let recorder: ClientRecorder
    private let changes: Changes
    /// The call of each registered agent.
    private var agents: [Policy.AgentID: Call] = [:] {
        didSet { if agents.count != oldValue.count { changes.report(.statusChanged) } }
    }
    /// The prompts that an agent is shown when its program can be identified again.
    private var delayed: [Policy.AgentID: [Prompt]] = [:]

    init(
        programs: AgentPrograms, authorizer: Authorizer, clients: Clients, prompts: Prompts, users: UserStates,
        holds: Holds, recorder: ClientRecorder, changes: Changes
    ) {
        self.programs = programs
        self.authorizer = authorizer
        self.clients = clients
        self.prompts = prompts
        self.users = users
        self.holds = holds
        self.recorder = recorder
        self.changes = changes
    }

    /// The number of registered agents.
    var count: Int { agents.count }

    /// The number of prompts that agents are shown later.
    var delayedCount: Int { delayed.values.reduce(0) { $0 + $1.count } }

    /// The users with agents.
    var agentUsers: Set<UInt32> { Set(agents.values.map(\.connection.peer.userID)) }

    /// Handles a call, which is replied to at once or later.
    func handle(_ call: Call) {
        if let objection = objection(to: call.connection) { return refuse(call, objection) }
        AgentInterface.perform(call, by: self)
    }

    /// Ends the calls of agents that are no longer permitted, because the configuration or the manifests have changed.
    /// While their programs cannot be identified, they remain, and are reviewed again afterwards.
    func review() {
        for (id, call) in agents {
            let objection = objection(to: call.connection)
            if isUndecided(call.connection) { continue }
            if let objection {
                unregister(id)
                refuse(call, objection)
            } else {
                showDelayed(to: id, call)
            }
        }
    }

    /// Whether the program of a connection cannot be identified at present, so that an objection says nothing about it.
    func isUndecided(_ connection: ServerConnection) -> Bool { clients.programs.isUndecided(connection.peer) }

    // Permitted programs

    /// Why the program of a connection may not be an agent; nil if it may.
    func objection(to connection: ServerConnection) -> String? { objection(to: connection, programs: programs.paths) }

    /// Why the program of a connection is none of these programs in the sense of `AgentAdmission`; nil if it is.
    func objection(to connection: ServerConnection, programs: Set<String>) -> String? {
        if let app = clients.identity(of: connection).app {
            return "This program is part of the app \(app.name), and no app may answer for itself."
        }
        let catalogue = clients.library.catalogue
        let evidence = clients.programs.evidence(of: connection.peer, listener: connection.listenerName)
        if let evidence, catalogue.isUnnamedInstance(evidence) {
            return "This program is an instance of an app's template, and no app may answer for itself."
        }
        return AgentAdmission(programs: programs).objection(
            to: evidence, match: evidence.map(catalogue.match) ?? .unidentified(""), belongs: connection.peer.belongs)
    }

    private func refuse(_ call: Call, _ objection: String) {
        call.fail(AgentInterface.Failure.notAgent(message: objection))
    }
}

// Prompts

extension AgentService {
    /// Shows a prompt to an agent, if it is still permitted: its program may have changed since it registered.
    func show(_ prompt: Prompt, to id: Policy.AgentID) {
        guard let call = agents[id] else { return }
        guard let objection = objection(to: call.connection) else { return send(.prompt(Question(prompt)), to: call) }
        guard !isUndecided(call.connection) else { return delayed[id, default: []].append(prompt) }
        // Posted, because the policy is handling an event now.
        DaemonActor.post { [weak self, weak call] in
            guard let self, let call, !call.isOver else { return }
            unregister(id)
            refuse(call, objection)
        }
    }

    private func showDelayed(to id: Policy.AgentID, _ call: Call) {
        for prompt in delayed.removeValue(forKey: id) ?? [] where prompts.prompt(Int64(clamping: prompt.id)) != nil {
            send(.prompt(Question(prompt)), to: call)
        }
    }

    /// Withdraws a prompt from the agents of its user, also if it was not shown to them yet.
    func withdraw(_ prompt: Prompt) {
        for (id, call) in agents where call.connection.peer.userID == prompt.app.uid {
            delayed[id]?.removeAll { $0.id == prompt.id }
            send(.withdrawn(Int64(clamping: prompt.id)), to: call)
        }
    }

    /// Reports the background activity sessions of a user's apps to the user's agents.
    func showHolds(of uid: UInt32) {
        for call in calls(of: uid) { showHolds(to: call) }
    }

    /// The list is offered, because only the latest one matters.
    private func showHolds(to call: Call) {
        let holds = holds.summaries(of: call.connection.peer.userID)
        let message = AgentMessage.holds(holds.map(AgentMessage.Hold.init))
        call.offer { _ in EncodedReply(message.reply, continues: true) }
    }

    private func calls(of uid: UInt32) -> [Call] { agents.values.filter { $0.connection.peer.userID == uid } }

    /// Prompts and their ends are never dropped: an agent that leaves too many of them unread is disconnected.
    private func send(_ message: AgentMessage, to call: Call) {
        call.reply(EncodedReply(message.reply, continues: true))
    }

    private func unregister(_ id: Policy.AgentID) {
        guard let call = agents.removeValue(forKey: id) else { return }
        delayed[id] = nil
        recorder.record(Event(.agentUnregistered, uid: call.connection.peer.userID))
        authorizer.send(.agentUnregistered(id))
    }
}

// Calls

extension AgentService: AgentInterface.Handler {
    /// Registers an agent. It receives the unanswered prompts, and the background activity sessions, at once.
    func register(_ call: MethodCall<AgentInterface.Register>) {
        let (call, id) = (call.call, authorizer.newNumber())
        let uid = call.connection.peer.userID
        agents[id] = call
        call.onEnd = { [weak self] in self?.unregister(id) }
        send(.registered, to: call)
        recorder.record(Event(.agentRegistered, uid: uid))
        users.refreshPresence(of: uid)
        // The agent may have been unregistered while its prompts were sent.
        guard agents[id] != nil else { return }
        authorizer.send(.agentRegistered(id, uid: uid))
        if agents[id] != nil { showHolds(to: call) }
    }

    func answer(_ call: MethodCall<AgentInterface.Answer>) throws(AgentInterface.Failure) {
        let request = call.parameters
        let prompt = try prompt(request.prompt, of: call.connection)
        let answerer = Policy.Answerer.agent(uid: call.connection.peer.userID)
        prompts.answer(prompt, request.choice, precise: request.precise, by: answerer) { [call = call.later] reply in
            switch reply {
            case .notOffered:
                let choices = prompt.choices.map(\.rawValue)
                call.fail(
                    .notOffered(choices: choices, message: "The choices are \(choices.joined(separator: ", "))."))
            case .unknownPrompt, .notYours: call.fail(Self.unknown)
            case .notStored:
                call.fail(
                    .notStored(
                        message:
                            "The answer could not be stored, so nothing that it allows holds. See `waymark status`."))
            case .authorizationState, .tracking, .requestInProgress, .purposeMissing, .refused, .done:
                call.reply(EmptyReply())
            }
        }
    }

    func dismiss(_ call: MethodCall<AgentInterface.Dismiss>) throws(AgentInterface.Failure) {
        let prompt = try prompt(call.parameters.prompt, of: call.connection)
        prompts.dismiss(prompt, by: .agent(uid: call.connection.peer.userID))
        call.reply(EmptyReply())
    }

    func setLocked(_ call: MethodCall<AgentInterface.SetLocked>) {
        users.setLocked(call.connection.peer.userID, call.parameters.locked)
        call.reply(EmptyReply())
    }

    /// A prompt of the agent's user; fails for any other.
    private func prompt(
        _ number: Int64, of connection: ServerConnection
    ) throws(AgentInterface.Failure) -> Prompt {
        guard let prompt = prompts.prompt(number), prompt.app.uid == connection.peer.userID else { throw Self.unknown }
        return prompt
    }

    /// The same error for a prompt of another user as for a number without a prompt.
    private static let unknown = AgentInterface.Failure.unknownPrompt(
        message: "There is no such prompt of yours, or it was answered already.")
}
