import Authorization
import Location
import Manifests
import Platform

/// By what a process is found again when it connects once more.
struct ClientKey: Hashable {
    var processID: Int32
    /// As whom it connected: a program may change its user.
    var userID: UInt32
    /// The app's own socket through which it connected, nil for the one that everybody uses.
    var listener: String?
}

/// A process of an app: from its first call until it ends, whether it has connections or not.
@DaemonActor
final class ClientProcess {
    let id: Policy.ProcessID
    let key: ClientKey
    /// Of the first connection; its pidfd tells when the process ends.
    let peer: PeerIdentity
    let app: ClientApp
    let assurance: Assurance
    /// By what it is known.
    let proof: IdentityKey
    /// What was found out about it with its latest connection.
    var evidence: PeerEvidence
    /// To whose limits it counts while it has no connection.
    var idleUser: UInt32
    /// The open connections of it.
    var sessions: [ObjectIdentifier: ClientSession] = [:]
    /// What the policy was told last that it does.
    var activity = Activity.background
    /// Where it runs, as far as that is watched.
    var controlGroup: ControlGroup?
    /// Tells when it ends.
    var exit: IOSource?

    init(
        id: Policy.ProcessID, key: ClientKey, peer: PeerIdentity, app: ClientApp, assurance: Assurance,
        proof: IdentityKey, evidence: PeerEvidence
    ) {
        self.id = id
        self.key = key
        idleUser = key.userID
        self.peer = peer
        self.app = app
        self.assurance = assurance
        self.proof = proof
        self.evidence = evidence
    }

    /// The liveliest of what was declared on its connections; without any it is in the background.
    var declaredActivity: Activity {
        sessions.values.map(\.activity).max { $0.liveliness < $1.liveliness } ?? .background
    }
}

extension Activity {
    fileprivate var liveliness: Int {
        switch self {
        case .active: 3
        case .inactive: 2
        case .background: 1
        case .suspended: 0
        }
    }
}
