import Authorization
import Interfaces
import JSONText
import Journal
import Location
import Platform
import Varlink

// What operators decide about apps. A decision is answered when it is durable.

extension ManageService {
    /// Answers one of the calls that are about apps, once what was decided earlier is known.
    func handleAuthorization(_ call: Call, _ method: ManageMethod) {
        let named = call.parameters["uid"]?.integerValue.flatMap(UInt32.init(exactly:))
        authorizer.whenReady(for: named ?? call.connection.peer.userID) { [weak self] in
            guard let self, !call.isOver else { return }
            do throws(ParameterError) { try performAuthorization(call, method) } catch { call.fail(error) }
        }
    }

    private func performAuthorization(_ call: Call, _ method: ManageMethod) throws(ParameterError) {
        switch method {
        case .listApps: listApps(call, try AppListRequest(call.parameters))
        case .authorize: authorize(call, try AuthorizeRequest(call.parameters))
        case .reset: reset(call, try AppRequest(call.parameters))
        case .resetAll: resetAll(call)
        case .setServicesEnabled: setServices(call, try ServicesRequest(call.parameters))
        case .listUsers: listUsers(call)
        case .eraseUser: eraseUser(call, try UserRequest(call.parameters))
        case .restoreUser: restoreUser(call, try UserRequest(call.parameters))
        case .listRequests: listRequests(call)
        case .answer: answer(call, try AnswerRequest(call.parameters, under: .id))
        case .setLocked:
            let request = try LockRequest(call.parameters)
            guard let uid = request.uid else { throw ParameterError("uid") }
            authorizer.setLocked(uid: uid, request.isLocked)
            call.reply { _ in }
        default: call.fail(ServiceError.methodNotImplemented(call.request.method))
        }
    }

    private func listApps(_ call: Call, _ request: AppListRequest) {
        let list = AppList(
            apps: authorizer.apps(named: request.app, uid: request.uid).map(KnownApp.init),
            areServicesEnabled: authorizer.areServicesOn, problems: authorizer.problems)
        call.reply { list.writeMembers(to: &$0) }
    }

    private func listRequests(_ call: Call) {
        let requests = authorizer.prompts.map(OpenRequest.init)
        call.reply { writer in
            writer.array("requests") { writer in requests.forEach { $0.write(to: &writer) } }
        }
    }

    // Decisions

    private func authorize(_ call: Call, _ request: AuthorizeRequest) {
        guard let app = choose(request.app, request.uid, for: call) else { return }
        let permission: Permission =
            switch request.status {
            case .always: .always
            case .whileUsing: .whenInUse
            case .deny: .denied
            }
        if permission != .denied, let why = authorizer.suspension(of: app.uid) {
            return call.fail(ErrorName.manageRestricted.rawValue, message: "Nothing can be allowed: \(why).")
        }
        command(.set(app, permission, request.accuracy), call) { [authorizer] writer in
            writer.key("app")
            KnownApp(authorizer.summary(of: app)).write(to: &writer)
        }
    }

    private func reset(_ call: Call, _ request: AppRequest) {
        guard let app = choose(request.app, request.uid, for: call, isToBeForgotten: true) else { return }
        command(.reset(app), call) { [authorizer] writer in
            writer.key("app")
            KnownApp(authorizer.summary(of: app)).write(to: &writer)
        }
    }

    private func resetAll(_ call: Call) {
        let count = authorizer.policy.grants.values.count { $0 != Grant() }
        command(.resetAll, call) { $0.member("count", count) }
    }

    private func setServices(_ call: Call, _ request: ServicesRequest) {
        command(.setServices(isOn: request.isEnabled), call) { _ in }
    }

    private func command(
        _ command: Policy.Command, _ call: Call, done: @escaping @DaemonActor (inout JSONWriter) -> Void
    ) {
        authorizer.command(command, by: call.connection.peer.userID) { [weak call] reply in
            call?.answer(reply, done: done)
        }
    }

    private func answer(_ call: Call, _ request: AnswerRequest) {
        guard let number = UInt64(exactly: request.question),
            let prompt = authorizer.prompts.first(where: { $0.prompt.id == number })?.prompt
        else { return call.failNoSuchRequest(request.question) }
        let uid = call.connection.peer.userID
        authorizer.answer(
            prompt: number, request.choice, precise: request.precise, by: .operator(uid: uid)
        ) { [weak call, authorizer] reply in
            switch reply {
            case .unknownPrompt, .notYours: call?.failNoSuchRequest(request.question)
            case .notOffered:
                let choices = prompt.choices.map(\.rawValue)
                call?.fail(
                    ErrorName.requestNotOffered.rawValue,
                    message: "The choices are \(choices.joined(separator: ", ")).",
                    parameters: [JSON.Member("choices", .array(choices.map { .string($0) }))])
            default:
                call?.answer(reply) { writer in
                    writer.key("app")
                    KnownApp(authorizer.summary(of: prompt.app)).write(to: &writer)
                }
            }
        }
    }

    // Reduced accuracy

    /// Has the key of reduced accuracy made anew, once there is a state directory.
    func rotateReduced(_ call: Call) {
        authorizer.whenReady(for: call.connection.peer.userID) { [weak self] in
            self?.reduced.rotate { [weak self] result in self?.answer(call, rotated: result) }
        }
    }

    private func answer(_ call: Call, rotated result: Result<Void, ReducedReceiver.RotationFailure>) {
        switch result {
        case .success:
            let by = call.connection.peer.userID
            let event = Event(.reducedKeyRotated, details: ["by": .text("operator \(by)")])
            authorizer.recorder.record(event) { [weak call] result in
                switch result {
                case .success: call?.reply { _ in }
                case .failure(let error):
                    call?.fail(
                        ErrorName.manageJournalUnavailable.rawValue,
                        message: "There is a new offset, but the journal could not record that: \(error.description).")
                }
            }
        case .failure(.inProgress):
            call.fail(
                ErrorName.reducedUnavailable.rawValue, message: "A new offset is being made already: try again later.")
        case .failure(.key(let error)):
            call.fail(
                ErrorName.reducedUnavailable.rawValue,
                message: "No new offset could be made, so the old one stays: \(error).")
        }
    }

    // Which app

    /// The app that an operator means; nil where that is not clear, which the call has been told then.
    private func choose(_ name: String, _ uid: UInt32?, for call: Call, isToBeForgotten: Bool = false) -> AppID? {
        let choice = AppChoice(
            named: name, uid: uid, manifests: authorizer.policy.manifests, known: authorizer.policy.grants.keys,
            isToBeForgotten: isToBeForgotten)
        switch choice {
        case .app(let app): return app
        case .unknown: call.failNoSuchApp(name, "no manifest has this name, and nothing was ever decided about it")
        case .template:
            call.failNoSuchApp(name, "it is a template of apps. Say which of its instances, such as \(name)home")
        case .systems: call.failUserNeeded(name, [0], "\(name) is a system service, and no user's.")
        case .userNeeded([]): call.failUserNeeded(name, [], "Nobody has used \(name) yet: say for which user.")
        case .userNeeded(let users): call.failUserNeeded(name, users, "Several users have \(name): say which.")
        }
        return nil
    }
}

extension Call {
    /// Answers a command with what the policy says of it.
    fileprivate func answer(_ reply: Policy.Reply, done: @DaemonActor (inout JSONWriter) -> Void) {
        switch reply {
        case .refused(.restricted):
            fail(
                ErrorName.manageRestricted.rawValue,
                message: "A restriction of this machine stands against it: see /etc/waymark/restrictions.d.")
        case .notStored:
            fail(
                ErrorName.manageJournalUnavailable.rawValue,
                message: "The journal could not store it: a no holds until the daemon is started again, a yes does not"
                    + " hold. See `waymark status`.")
        case .refused(let reason): failNoSuchApp(request.parameters["app"]?.stringValue ?? "", reason.message)
        case .standing, .requestInProgress, .purposeMissing, .unknownPrompt, .notYours, .notOffered, .done:
            self.reply { done(&$0) }
        }
    }

    fileprivate func failNoSuchApp(_ name: String, _ why: String) {
        fail(
            ErrorName.noSuchApp.rawValue, message: "There is no app \(name): \(why).",
            parameters: [JSON.Member("app", .string(name))])
    }

    fileprivate func failUserNeeded(_ name: String, _ users: [UInt32], _ message: String) {
        fail(
            ErrorName.userNeeded.rawValue, message: message,
            parameters: [
                JSON.Member("app", .string(name)),
                JSON.Member("uids", .array(users.map { .integer(Int64($0)) })),
            ])
    }

    fileprivate func failNoSuchRequest(_ id: Int64) {
        fail(
            ErrorName.noSuchRequest.rawValue, message: "There is no question \(id), or it was answered already.",
            parameters: [JSON.Member("id", .integer(id))])
    }
}
