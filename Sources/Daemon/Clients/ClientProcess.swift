import Authorization
import Location
import Manifests
import Platform

/// Identifies a process when it connects again.
struct ClientKey: Hashable {
    var processID: Int32
    /// The user id of its connection, because a program may change its user.
    var userID: UInt32
    /// The app's own socket through which it connected; nil for the common socket.
    var listener: String?
}

/// A process of an app, from its first call until it exits, whether or not it has open connections.
@DaemonActor
final class ClientProcess {
    let id: Policy.ProcessID
    let key: ClientKey
    /// The peer of the first connection. Its pidfd becomes readable when the process exits.
    let peer: PeerIdentity
    let app: ClientApp
    let assurance: Assurance
    /// The proof by which the app was identified.
    let proof: IdentityKey
    /// The evidence gathered with its latest connection.
    var evidence: PeerEvidence
    /// The user whose limits it counts against while it has no connection.
    var idleUser: UInt32
    /// The open connections.
    var sessions: [ObjectIdentifier: ClientSession] = [:]
    /// The activity last reported to the policy.
    var activity = Activity.background
    /// The process's control group, if it is watched.
    var controlGroup: ControlGroup?
    /// Whether its control group is frozen.
    var isFrozen = false
    /// Fires when the process exits.
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

    /// The most active declaration among its connections; background if there is none.
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
