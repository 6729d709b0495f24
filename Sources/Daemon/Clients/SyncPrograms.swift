import Platform
import Varlink

/// Recognizes the programs `waymark-sync` among the clients: `SyncAdmission` decides.
@DaemonActor
final class SyncPrograms {
    private let clients: Clients
    private let agents: AgentService

    init(clients: Clients, agents: AgentService) {
        self.clients = clients
        self.agents = agents
    }

    /// For whom a connection is a `waymark-sync`.
    func scope(of connection: ServerConnection) -> Result<WakeScope, SyncAdmission.Objection> {
        let session = clients.session(of: connection)
        if let why = session.suspension ?? clients.suspension(of: connection.peer.userID) {
            return .failure(SyncAdmission.Objection(message: "This user is refused: \(why)."))
        }
        // It remains an app after its manifest was removed, because that may return.
        if let app = session.process?.app.id {
            return .failure(
                SyncAdmission.Objection(
                    message: "This program has become the app \(app.name), and no app is waymark-sync: connect again"
                        + " when no manifest fits it any more."))
        }
        let catalogue = clients.library.catalogue
        let evidence = clients.programs.evidence(of: connection.peer, listener: connection.listenerName)
        let admission = SyncAdmission(programs: SyncAdmission.ownPrograms) { uid in
            guard case .present(let name, _) = UserDatabase.account(uid) else { return nil }
            return name
        }
        return admission.scope(of: evidence, match: evidence.map(catalogue.match) ?? .unidentified("")) {
            agents.objection(to: connection, programs: SyncAdmission.ownPrograms)
        }
    }
}
