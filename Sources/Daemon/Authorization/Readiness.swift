import Authorization
import Interfaces
import Location
import Platform
import Varlink

/// Delays calls until all information is available by which their callers are identified and authorized.
@DaemonActor
final class Readiness {
    /// The information that a call needs.
    enum Need {
        /// The app of the caller, and the decisions about that app.
        case everything
        /// Whether the caller is an operator, which has to work even if the journal cannot be read.
        case operators
    }

    /// The recordings; the manifests of their users are needed even without a running program.
    weak var recordings: RecordingRegistry?
    /// The monitors of regions; likewise.
    weak var regions: RegionRegistry?
    /// The apps that are woken; likewise.
    weak var wakes: WakeRegistry?
    private let authorizer: Authorizer
    private let clients: Clients
    private let users: UserStates
    private let changes: Changes

    private struct Pending {
        let uid: UInt32
        let need: Need
        /// Nil for a body of the daemon itself.
        let call: Call?
        let body: @DaemonActor () -> Void
    }

    /// The bodies of the daemon itself, of which there are as many as it has stored.
    private var own: [Pending] = []
    /// Those of clients. A call without a reply does not wait for the one before, so that their number has no other bound.
    private var pending = FairQueue<ConnectionShare, Pending>(capacity: mostPending)

    /// The most calls that wait, and KiB of them: as many as there may be connections.
    private static let mostPending = 16_384
    /// Why a call is refused that has no room.
    private static let tooManyCalls = LocationInterface.Failure.tooManyConnections(
        message: "Too many calls of this user wait until the daemon is ready. Try again later.")

    init(authorizer: Authorizer, clients: Clients, users: UserStates, changes: Changes) {
        self.authorizer = authorizer
        self.clients = clients
        self.users = users
        self.changes = changes
    }

    /// Runs the body of a call as soon as the information about a user's programs is available: the caller's, if no other is named.
    ///
    /// If too many bodies are pending, a call of the client's share that has most of them is refused: its body would find its client
    /// unidentified, and the stored decisions unread.
    func whenReady(
        _ call: Call, for uid: UInt32? = nil, _ need: Need = .everything, _ body: @escaping @DaemonActor () -> Void
    ) {
        let peer = call.connection.peer
        let uid = uid ?? peer.userID
        guard !isReady(for: uid, need) else { return body() }
        let displaced = pending.add(
            Pending(uid: uid, need: need, call: call, body: body), of: clients.share(of: peer), cost: call.waitingCost)
        want(uid)
        for other in displaced { other.call?.fail(Self.tooManyCalls) }
    }

    /// Runs a body of the daemon itself likewise.
    func whenReady(for uid: UInt32, _ body: @escaping @DaemonActor () -> Void) {
        guard !isReady(for: uid, .everything) else { return body() }
        own.append(Pending(uid: uid, need: .everything, call: nil, body: body))
        want(uid)
    }

    private func want(_ uid: UInt32) {
        clients.library.forgetUsers { uid in
            users.isWatched(uid) || recordings?.hasRecordings(of: uid) ?? false
                || regions?.users.contains(uid) ?? false || wakes?.users.contains(uid) ?? false
                || clients.sessions.contains { $0.userID == uid }
        }
        clients.library.want(uid)
    }

    private func isReady(for uid: UInt32, _ need: Need) -> Bool {
        // A program that is an app by `Exec=` alone also has its operator's rights.
        clients.library.isReady(for: uid)
            && (need == .operators || authorizer.isLoaded && clients.programs.isSettled)
    }

    /// Runs the pending bodies whose information is available now.
    func runPending() {
        let ready = own.filter { isReady(for: $0.uid, $0.need) }
        own.removeAll { isReady(for: $0.uid, $0.need) }
        for other in ready + pending.removeAll(where: { isReady(for: $0.uid, $0.need) }) { other.body() }
        if authorizer.isLoaded, own.isEmpty, pending.isEmpty { changes.report(.everyProgramKnown) }
    }
}
