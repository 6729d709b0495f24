import Authorization
import Interfaces
import Journal
import Location
import Platform
import Varlink

// Decisions of operators about apps. The reply is sent when the decision is durable.

extension ManageService {
    func listApps(_ call: MethodCall<ManageInterface.ListApps>) {
        whenReady(call, for: call.parameters.uid) { (call) throws(ManageInterface.Failure) in
            let request = call.parameters
            call.reply(
                .init(
                    apps: self.apps.apps(named: request.app, uid: request.uid).map(KnownApp.init),
                    servicesEnabled: self.authorizer.areServicesOn, problems: self.apps.problems))
        }
    }

    func listRequests(_ call: MethodCall<ManageInterface.ListRequests>) {
        whenReady(call) { (call) throws(ManageInterface.Failure) in
            call.reply(.init(requests: self.prompts.all.map(OpenRequest.init)))
        }
    }

    // Decisions

    func authorize(_ call: MethodCall<ManageInterface.Authorize>) {
        whenReady(call, for: call.parameters.uid) { (call) throws(ManageInterface.Failure) in
            let request = call.parameters
            let app = try self.choose(request.app, request.uid)
            let permission: Permission =
                switch request.status {
                case .always: .always
                case .whileUsing: .whenInUse
                case .deny: .denied
                }
            if permission != .denied, let why = self.clients.suspensions[app.uid] {
                throw .restricted(message: "Nothing can be allowed: \(why).")
            }
            self.command(.set(app, permission, request.accuracy), call) { [apps = self.apps] in
                .init(app: KnownApp(apps.summary(of: app)))
            }
        }
    }

    func authorizeTracking(_ call: MethodCall<ManageInterface.AuthorizeTracking>) {
        whenReady(call, for: call.parameters.uid) { (call) throws(ManageInterface.Failure) in
            let request = call.parameters
            let app = try self.choose(request.app, request.uid, isToBeForgotten: request.status == .undecided)
            let permission: TrackingGrant.Permission? =
                switch request.status {
                case .allow: .authorized
                case .deny: .denied
                case .undecided: nil
                }
            if permission == .authorized, let why = self.clients.suspensions[app.uid] {
                throw .restricted(message: "Nothing can be allowed: \(why).")
            }
            self.command(.setTracking(app, permission), call) { [apps = self.apps] in
                .init(app: KnownApp(apps.summary(of: app)))
            }
        }
    }

    func reset(_ call: MethodCall<ManageInterface.Reset>) {
        whenReady(call, for: call.parameters.uid) { (call) throws(ManageInterface.Failure) in
            let app = try self.choose(call.parameters.app, call.parameters.uid, isToBeForgotten: true)
            self.command(.reset(app), call) { [apps = self.apps] in
                .init(app: KnownApp(apps.summary(of: app)))
            }
        }
    }

    func resetAll(_ call: MethodCall<ManageInterface.ResetAll>) {
        whenReady(call) { (call) throws(ManageInterface.Failure) in
            let count = self.authorizer.policy.decidedApps.count
            self.command(.resetAll, call) { .init(count: Int64(count)) }
        }
    }

    func setServicesEnabled(_ call: MethodCall<ManageInterface.SetServicesEnabled>) {
        whenReady(call) { (call) throws(ManageInterface.Failure) in
            self.command(.setServices(isOn: call.parameters.enabled), call) { EmptyReply() }
        }
    }

    func setLocked(_ call: MethodCall<ManageInterface.SetLocked>) {
        whenReady(call, for: call.parameters.uid) { (call) throws(ManageInterface.Failure) in
            self.users.setLocked(call.parameters.uid, call.parameters.locked)
            call.reply(EmptyReply())
        }
    }

    func answer(_ call: MethodCall<ManageInterface.Answer>) {
        whenReady(call) { (call) throws(ManageInterface.Failure) in
            let (request, uid) = (call.parameters, call.connection.peer.userID)
            guard let prompt = self.prompts.prompt(request.id) else { throw .noSuchRequest(request.id) }
            self.prompts.answer(
                prompt, request.choice, precise: request.precise, by: .operator(uid: uid)
            ) { [apps = self.apps, call = call.later] reply in
                switch reply {
                case .unknownPrompt, .notYours: call.fail(.noSuchRequest(request.id))
                case .notOffered:
                    let choices = prompt.choices.map(\.rawValue)
                    call.fail(
                        .notOffered(
                            choices: choices, message: "The choices are \(choices.joined(separator: ", "))."))
                default:
                    call.answer(reply, prompt.app.name) {
                        .init(app: KnownApp(apps.summary(of: prompt.app)), kind: prompt.kind.word)
                    }
                }
            }
        }
    }

    private func command<Method: VarlinkMethod>(
        _ command: Policy.Command, _ call: MethodCall<Method>, done: @escaping @DaemonActor () -> Method.Reply
    ) where Method.Failure == ManageInterface.Failure, Method.Reply: VarlinkMembers {
        let name = call.call.request.parameters["app"]?.stringValue ?? ""
        authorizer.command(command, by: call.connection.peer.userID) { [call = call.later] reply in
            call.answer(reply, name, done: done)
        }
    }

    /// Runs the body once the authorizations of a user's apps are loaded; the caller's if no user is named.
    func whenReady<Method: VarlinkMethod>(
        _ call: MethodCall<Method>, for uid: UInt32? = nil,
        _ body: @escaping @DaemonActor (MethodCall<Method>) throws(Method.Failure) -> Void
    ) {
        readiness.whenReady(call.call, for: uid) {
            guard !call.call.isOver || call.call.request.oneway else { return }
            do throws(Method.Failure) { try body(call) } catch { call.fail(error) }
        }
    }

    // Reduced accuracy

    /// Replaces the key of reduced accuracy, once there is a state directory.
    func rotateReduced(_ call: MethodCall<ManageInterface.RotateReduced>) {
        whenReady(call) { (call) throws(ManageInterface.Failure) in
            self.reduced.rotate { [weak self, call = call.later] result in
                self?.answer(call, by: call.call?.connection.peer.userID ?? 0, rotated: result)
            }
        }
    }

    private func answer(
        _ call: LateCall<ManageInterface.RotateReduced>, by uid: UInt32,
        rotated result: Result<Void, ReducedReceiver.RotationFailure>
    ) {
        switch result {
        case .success:
            let event = Event(.reducedKeyRotated, details: ["by": .text("operator \(uid)")])
            recorder.record(event) { result in
                switch result {
                case .success: call.reply(EmptyReply())
                case .failure(let error):
                    call.fail(
                        .journalUnavailable(
                            message: "A new offset is in use, but the journal could not record the change:"
                                + " \(error.description)."))
                }
            }
        case .failure(.inProgress):
            call.fail(.reducedUnavailable(message: "Another request is making a new offset. Try again later."))
        case .failure(.key(let error)):
            call.fail(.reducedUnavailable(message: "No new offset could be made; the old one stays in use: \(error)."))
        }
    }

    // Choosing the app

    /// The app that an operator's call names.
    /// - Throws: An error if no app or more than one matches.
    private func choose(
        _ name: String, _ uid: UInt32?, isToBeForgotten: Bool = false
    ) throws(ManageInterface.Failure) -> AppID {
        let choice = AppChoice(
            named: name, uid: uid, manifests: authorizer.policy.manifests, known: authorizer.policy.grants.keys,
            isToBeForgotten: isToBeForgotten)
        switch choice {
        case .app(let app): return app
        case .unknown:
            throw .noSuchApp(name, "no manifest has this name, and no decision about it is stored")
        case .template:
            throw .noSuchApp(name, "it is a template of apps. Name one of its instances, such as \(name)home")
        case .systems:
            throw .userNeeded(app: name, uids: [0], message: "\(name) is a system service and belongs to no user.")
        case .userNeeded([]):
            throw .userNeeded(app: name, uids: [], message: "\(name) was not used yet. Name the user.")
        case .userNeeded(let users):
            throw .userNeeded(app: name, uids: users, message: "Several users have \(name). Name the user.")
        }
    }
}

extension LateCall where Method.Failure == ManageInterface.Failure, Method.Reply: VarlinkMembers {
    /// Replies to an operator's decision with the policy's reply.
    fileprivate func answer(_ reply: Policy.Reply, _ name: String, done: @DaemonActor () -> Method.Reply) {
        switch reply {
        case .refused(.restricted):
            fail(
                .restricted(
                    message: "A restriction of this machine forbids it. See /etc/waymark/restrictions.d."))
        case .notStored:
            fail(
                .journalUnavailable(
                    message:
                        "The journal could not store the decision. A denial is in force until the daemon restarts; a"
                        + " permission is not in force. See `waymark status`."))
        case .refused(let reason): fail(.noSuchApp(name, reason.message))
        case .authorizationState, .tracking, .requestInProgress, .purposeMissing, .unknownPrompt, .notYours,
            .notOffered, .done:
            self.reply(done())
        }
    }
}

extension ManageInterface.Failure {
    fileprivate static func noSuchApp(_ name: String, _ why: String) -> Self {
        .noSuchApp(app: name, message: "There is no app \(name): \(why).")
    }

    fileprivate static func noSuchRequest(_ id: Int64) -> Self {
        .noSuchRequest(id: id, message: "There is no prompt \(id), or it was answered already.")
    }
}
