import Authorization
import Interfaces
import Journal
import Location
import Platform
import Varlink

/// `io.waymark.Agent`: shows the questions of a user's apps to that user's agents, and takes the answers.
@DaemonActor
final class AgentService {
    /// An agent that is registered.
    private struct Registration {
        let call: Call
        /// Nil while it is being registered: what it is told meanwhile belongs to it all the same.
        var id: Policy.AgentID?
    }

    private let authorizer: Authorizer
    private let changes: Changes
    private var registrations: [ObjectIdentifier: Registration] = [:] {
        didSet { if registrations.count != oldValue.count { changes.report(.statusChanged) } }
    }
    init(authorizer: Authorizer, changes: Changes) {
        self.changes = changes
        self.authorizer = authorizer
    }

    /// How many agents are registered.
    var count: Int { registrations.count }

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        if let objection = objection(to: call.connection) { return refuse(call, objection) }
        AgentInterface.perform(call, by: self)
    }

    /// Ends the agents that may be none any more, since the configuration or the manifests have changed.
    func review() {
        for registration in Array(registrations.values) {
            guard let objection = objection(to: registration.call.connection) else { continue }
            unregister(registration.call)
            refuse(registration.call, objection)
        }
    }

    // Who may

    private func objection(to connection: ServerConnection) -> String? {
        if let app = authorizer.identity(of: connection).app {
            return "This program is part of the app \(app.name), and no app may answer for itself."
        }
        let evidence = authorizer.programs.evidence(of: connection.peer, listener: connection.listenerName)
        if let evidence, authorizer.library.catalogue.isUnnamedInstance(evidence) {
            return "This program is an instance of an app's template, and no app may answer for itself."
        }
        return AgentAdmission(programs: authorizer.agentPrograms.paths).objection(
            to: evidence, match: evidence.map(authorizer.library.catalogue.match) ?? .unidentified(""),
            belongs: connection.peer.belongs)
    }

    private func refuse(_ call: Call, _ objection: String) {
        call.fail(AgentInterface.Failure.notAgent(message: objection))
    }
}

// Register

extension AgentService: AgentInterface.Handler {
    func register(_ call: MethodCall<AgentInterface.Register>) {
        let call = call.call
        let key = ObjectIdentifier(call)
        registrations[key] = Registration(call: call)
        call.onEnd = { [weak self, unowned call] in self?.unregister(call) }
        notify(call, .registered)
        let id = authorizer.registerAgent(
            uid: call.connection.peer.userID,
            onPrompt: { [weak self, weak call] prompt in
                guard let self, let call, isStillAgent(call) else { return }
                notify(call, .prompt(Question(prompt)))
            },
            onWithdrawn: { [weak self, weak call] id in
                guard let self, let call else { return }
                notify(call, .withdrawn(Int64(clamping: id)))
            },
            onHolds: { [weak self, weak call] holds in
                guard let self, let call else { return }
                reportHolds(call, holds)
            })
        // It may have gone, or been found to be none, while it was told.
        guard registrations[key] != nil else { return authorizer.unregisterAgent(id) }
        registrations[key]?.id = id
    }

    /// Whether it may be told a question: its program can have changed since it registered.
    private func isStillAgent(_ call: Call) -> Bool {
        guard registrations[ObjectIdentifier(call)] != nil else { return false }
        guard let objection = objection(to: call.connection) else { return true }
        // In a turn of its own: the policy is at work now.
        DaemonActor.post { [weak self, weak call] in
            guard let self, let call, !call.isOver else { return }
            unregister(call)
            refuse(call, objection)
        }
        return false
    }

    private func unregister(_ call: Call) {
        guard let registration = registrations.removeValue(forKey: ObjectIdentifier(call)) else { return }
        if let id = registration.id { authorizer.unregisterAgent(id) }
    }

    /// Questions and their ends are never dropped: an agent that leaves too many of them lying is disconnected.
    private func notify(_ call: Call, _ message: AgentMessage) {
        call.reply(EncodedReply(message.reply, continues: true))
    }

    /// Of the sessions only the latest list matters.
    private func reportHolds(_ call: Call, _ holds: [HoldSummary]) {
        let message = AgentMessage.holds(holds.map(AgentMessage.Hold.init))
        call.offer { _ in EncodedReply(message.reply, continues: true) }
    }
}

// Answers

extension AgentService {
    func answer(_ call: MethodCall<AgentInterface.Answer>) throws(AgentInterface.Failure) {
        let uid = call.connection.peer.userID
        let request = call.parameters
        guard let number = UInt64(exactly: request.prompt),
            let prompt = authorizer.prompts.first(where: { $0.prompt.id == number })?.prompt, prompt.app.uid == uid
        else { throw Self.unknown }
        authorizer.answer(prompt: number, request.choice, precise: request.precise, by: .agent(uid: uid)) {
            [call = call.later] reply in
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
            case .authorizationState, .requestInProgress, .purposeMissing, .refused, .done: call.reply(EmptyReply())
            }
        }
    }

    func dismiss(_ call: MethodCall<AgentInterface.Dismiss>) throws(AgentInterface.Failure) {
        let uid = call.connection.peer.userID
        guard let number = UInt64(exactly: call.parameters.prompt),
            authorizer.prompts.contains(where: { $0.prompt.id == number && $0.prompt.app.uid == uid })
        else { throw Self.unknown }
        authorizer.dismiss(prompt: number, by: .agent(uid: uid))
        call.reply(EmptyReply())
    }

    func setLocked(_ call: MethodCall<AgentInterface.SetLocked>) {
        authorizer.setLocked(uid: call.connection.peer.userID, call.parameters.locked)
        call.reply(EmptyReply())
    }

    /// The same for a question of another user as for one that never was.
    private static let unknown = AgentInterface.Failure.unknownPrompt(
        message: "There is no such question of yours, or it was answered already.")
}
