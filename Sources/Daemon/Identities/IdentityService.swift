import Authorization
import Identities
import Interfaces
import Location
import Platform
import Varlink

/// `io.waymark.Identity`: identifiers for apps.
@DaemonActor
final class IdentityService {
    let registry: IdentityRegistry
    let clients: Clients
    let authorizer: Authorizer
    let prompts: Prompts

    init(registry: IdentityRegistry, clients: Clients, authorizer: Authorizer, prompts: Prompts) {
        self.registry = registry
        self.clients = clients
        self.authorizer = authorizer
        self.prompts = prompts
    }

    static func app(_ session: ClientSession) throws(IdentityInterface.Failure) -> AppID {
        if let app = session.process?.app.id { return app }
        if let why = session.suspension { throw .notAllowed(message: "No identifier: \(why).") }
        let why = session.complaint.map { " (\($0))" } ?? ""
        throw .notAllowed(
            message:
                "Only apps have identifiers, and no manifest fits this program\(why). See `waymark manifest --help`.")
    }

    /// Replies to a call of an app when its result is known, if the client is still that app.
    func answer<Method: VarlinkMethod, Result>(
        _ call: MethodCall<Method>, of app: AppID, _ session: ClientSession,
        _ reply: @escaping @DaemonActor (Result) throws(IdentityInterface.Failure) -> Method.Reply
    ) -> @DaemonActor (Result) -> Void
    where Method.Failure == IdentityInterface.Failure, Method.Reply: VarlinkMembers {
        { [weak session, call = call.later] result in
            guard let session else { return }
            call.answer { () throws(IdentityInterface.Failure) in
                guard try Self.app(session) == app else {
                    throw .notAllowed(message: "This program is no longer the app \(app.name). Connect again.")
                }
                return try reply(result)
            }
        }
    }
}

extension IdentityService: IdentityInterface.Handler {
    func getIdentifierForVendor(
        _ call: MethodCall<IdentityInterface.GetIdentifierForVendor>
    ) throws(IdentityInterface.Failure) {
        let session = clients.session(of: call.connection)
        let app = try Self.app(session)
        registry.identifierForVendor(
            of: app,
            completion: answer(call, of: app, session) { result throws(IdentityInterface.Failure) in
                switch result {
                case .success(let found):
                    return .init(identifier: found.identifier.description, vendor: found.vendor.name)
                case .failure(let refusal): throw .init(refusal, of: app)
                }
            })
    }

    func getAdvertisingIdentifier(
        _ call: MethodCall<IdentityInterface.GetAdvertisingIdentifier>
    ) throws(IdentityInterface.Failure) {
        let session = clients.session(of: call.connection)
        let app = try Self.app(session)
        registry.advertisingIdentifier(
            of: app,
            completion: answer(call, of: app, session) { result throws(IdentityInterface.Failure) in
                switch result {
                case .success(let found):
                    return .init(identifier: found.identifier.description, status: found.status)
                case .failure(let refusal): throw .init(refusal, of: app)
                }
            })
    }

    func resetAdvertisingIdentifier(
        _ call: MethodCall<IdentityInterface.ResetAdvertisingIdentifier>
    ) throws(IdentityInterface.Failure) {
        let session = clients.session(of: call.connection)
        if let why = session.suspension ?? clients.suspensions[session.userID] {
            throw .notAllowed(message: "Nothing can be reset: \(why).")
        }
        guard session.standsForUser else {
            throw .notAllowed(
                message:
                    "An app may not reset the identifier. Run `waymark reset --advertising-identifier` in a terminal.")
        }
        let uid = session.userID
        registry.reset(
            uid: uid, kind: .advertisingIdentifier, by: .person(uid: uid)
        ) { [call = call.later] result in
            switch result {
            case .success(let count): call.reply(.init(wasReset: count > 0))
            case .failure(let error):
                call.fail(
                    .notStored(
                        message: "The reset is in effect until the daemon ends, and could not be stored: \(error)."
                            + " Repeat it later."))
            }
        }
    }
}

// Authorization for tracking

extension IdentityService {
    func getTrackingAuthorization(
        _ call: MethodCall<IdentityInterface.GetTrackingAuthorization>
    ) throws(IdentityInterface.Failure) {
        let app = try Self.app(clients.session(of: call.connection))
        call.reply(.init(status: authorizer.policy.trackingStatus(of: app)))
    }

    func requestTrackingAuthorization(
        _ call: MethodCall<IdentityInterface.RequestTrackingAuthorization>
    ) throws(IdentityInterface.Failure) {
        let session = clients.session(of: call.connection)
        let app = try Self.app(session)
        guard let process = session.process else { return }
        prompts.request(
            .tracking, by: process.id,
            completion: answer(call, of: app, session) { reply throws(IdentityInterface.Failure) in
                switch reply {
                case .tracking(let status, let obstacle):
                    return .init(status: status, obstacle: obstacle.map { .init(rawValue: $0.rawValue) })
                case .requestInProgress:
                    throw .requestInProgress(
                        message: "The person is asked already. Wait for the answer;"
                            + " `waymark requests` shows the request.")
                case .purposeMissing(let key):
                    throw .purposeMissing(
                        key: key,
                        message: "The manifest of \(app.name) does not state why it tracks. Add \(key)= to [App].")
                case .refused(let reason): throw .notAllowed(message: reason.message)
                case .notStored:
                    throw .notStored(
                        message: "The decision could not be stored, so it is not in force. Run `waymark status`.")
                case .authorizationState, .unknownPrompt, .notYours, .notOffered, .done:
                    return .init(status: self.authorizer.policy.trackingStatus(of: app))
                }
            })
    }
}

extension IdentityInterface.Failure {
    fileprivate init(_ refusal: IdentityRegistry.Refusal, of app: AppID) {
        self =
            switch refusal {
            case .noManifest:
                .notAllowed(
                    message: "The manifest of \(app.name) was removed, so that it has no identifier. Install it again.")
            case .notStored(let error):
                .notStored(
                    message: "The identifier is not stored, and not given to the app: \(error). Repeat the call later.")
            }
    }
}
