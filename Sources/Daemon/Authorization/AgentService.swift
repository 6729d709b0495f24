import Authorization
import Interfaces
import JSONText
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
    /// Calls refused since the start.
    private(set) var refused = 0

    /// The methods that reply more than once.
    static let streaming: Set<String> = ["Register"]

    init(authorizer: Authorizer, changes: Changes) {
        self.changes = changes
        self.authorizer = authorizer
    }

    /// How many agents are registered.
    var count: Int { registrations.count }

    /// Answers a call, now or later.
    func handle(_ call: Call) {
        authorizer.whenReady(for: call.connection.peer.userID) { [weak self] in
            guard let self, !call.isOver else { return }
            if let objection = objection(to: call.connection) { return refuse(call, objection) }
            do throws(ParameterError) { try perform(call) } catch { call.fail(error) }
        }
    }

    /// Ends the agents that may be none any more, since the configuration or the manifests have changed.
    func review() {
        for registration in Array(registrations.values) {
            guard let objection = objection(to: registration.call.connection) else { continue }
            unregister(registration.call)
            refuse(registration.call, objection)
        }
    }

    private func perform(_ call: Call) throws(ParameterError) {
        switch AgentMethod(rawValue: call.request.method) {
        case .register: register(call)
        case .answer: answer(call, try AnswerRequest(call.parameters, under: .prompt))
        case .dismiss: dismiss(call, try DismissRequest(call.parameters))
        case .setLocked:
            authorizer.setLocked(uid: call.connection.peer.userID, try LockRequest(call.parameters).isLocked)
            call.reply { _ in }
        case nil: call.fail(ServiceError.methodNotImplemented(call.request.method))
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
        refused += 1
        call.fail(ErrorName.notAgent.rawValue, message: objection)
    }
}

// Register

extension AgentService {
    private func register(_ call: Call) {
        let key = ObjectIdentifier(call)
        registrations[key] = Registration(call: call)
        call.onEnd = { [weak self, unowned call] in self?.unregister(call) }
        tell(call, .registered)
        let id = authorizer.registerAgent(
            uid: call.connection.peer.userID,
            onPrompt: { [weak self, weak call] prompt in
                guard let self, let call, isStillAgent(call) else { return }
                tell(call, .prompt(Question(prompt)))
            },
            onWithdrawn: { [weak self, weak call] id in
                guard let self, let call else { return }
                tell(call, .withdrawn(Int64(clamping: id)))
            },
            onHolds: { [weak self, weak call] holds in
                guard let self, let call else { return }
                tellHolds(call, holds)
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
    private func tell(_ call: Call, _ message: AgentMessage) {
        call.reply(continues: true) { message.writeMembers(to: &$0) }
    }

    /// Of the sessions only the latest list matters.
    private func tellHolds(_ call: Call, _ holds: [HoldSummary]) {
        let message = AgentMessage.holds(holds.map(AgentMessage.Hold.init))
        call.offer { _ in EncodedReply(continues: true) { message.writeMembers(to: &$0) } }
    }
}

// Answers

extension AgentService {
    private func answer(_ call: Call, _ request: AnswerRequest) {
        let uid = call.connection.peer.userID
        guard let number = UInt64(exactly: request.question),
            let prompt = authorizer.prompts.first(where: { $0.prompt.id == number })?.prompt, prompt.app.uid == uid
        else { return failUnknown(call) }
        let choices = prompt.choices.map(\.rawValue)
        let choice = request.choice
        authorizer.answer(prompt: number, choice, precise: request.precise, by: .agent(uid: uid)) {
            [weak self, weak call] reply in
            guard let self, let call else { return }
            switch reply {
            case .notOffered: failNotOffered(call, choices)
            case .unknownPrompt, .notYours: failUnknown(call)
            case .notStored:
                call.fail(
                    ErrorName.answerNotStored.rawValue,
                    message: "The answer could not be stored, so nothing that it allows holds. See `waymark status`.")
            case .standing, .requestInProgress, .purposeMissing, .refused, .done: call.reply { _ in }
            }
        }
    }

    private func dismiss(_ call: Call, _ request: DismissRequest) {
        let uid = call.connection.peer.userID
        guard let number = UInt64(exactly: request.prompt),
            authorizer.prompts.contains(where: { $0.prompt.id == number && $0.prompt.app.uid == uid })
        else { return failUnknown(call) }
        authorizer.dismiss(prompt: number, by: .agent(uid: uid))
        call.reply { _ in }
    }

    /// The same for a question of another user as for one that never was.
    private func failUnknown(_ call: Call) {
        call.fail(
            ErrorName.unknownPrompt.rawValue, message: "There is no such question of yours, or it was answered already."
        )
    }

    private func failNotOffered(_ call: Call, _ choices: [String]) {
        call.fail(
            ErrorName.promptNotOffered.rawValue, message: "The choices are \(choices.joined(separator: ", ")).",
            parameters: [JSON.Member("choices", .array(choices.map { .string($0) }))])
    }
}
