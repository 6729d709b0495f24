import Authorization
import Interfaces
import Platform
import Varlink

/// `io.waymark.Identity`: identifiers for apps.
@DaemonActor
final class IdentityService {
    private let registry: IdentityRegistry
    private let clients: Clients

    init(registry: IdentityRegistry, clients: Clients) {
        self.registry = registry
        self.clients = clients
    }

    private static func app(_ session: ClientSession) throws(IdentityInterface.Failure) -> AppID {
        if let app = session.process?.app.id { return app }
        if let why = session.suspension { throw .notAllowed(message: "No identifier: \(why).") }
        let why = session.complaint.map { " (\($0))" } ?? ""
        throw .notAllowed(
            message:
                "Only apps have identifiers, and no manifest fits this program\(why). See `waymark manifest --help`.")
    }
}

extension IdentityService: IdentityInterface.Handler {
    func getIdentifierForVendor(
        _ call: MethodCall<IdentityInterface.GetIdentifierForVendor>
    ) throws(IdentityInterface.Failure) {
        let session = clients.session(of: call.connection)
        let app = try Self.app(session)
        registry.identifierForVendor(of: app) { [weak session, call = call.later] result in
            guard let session else { return }
            call.answer { () throws(IdentityInterface.Failure) in
                guard try Self.app(session) == app else {
                    throw .notAllowed(message: "This program is no longer the app \(app.name). Connect again.")
                }
                switch result {
                case .success(let found):
                    return .init(identifier: found.identifier.description, vendor: found.vendor.name)
                case .failure(let refusal): throw .init(refusal, of: app)
                }
            }
        }
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
