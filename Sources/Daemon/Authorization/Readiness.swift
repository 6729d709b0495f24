import Authorization
import Location
import Platform

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
    private var pending: [(uid: UInt32, need: Need, body: @DaemonActor () -> Void)] = []

    /// The same as the maximum number of connections.
    private static let mostPending = 16_384

    init(authorizer: Authorizer, clients: Clients, users: UserStates, changes: Changes) {
        self.authorizer = authorizer
        self.clients = clients
        self.users = users
        self.changes = changes
    }

    /// Runs the body as soon as the information about this user's programs is available.
    ///
    /// If too many bodies are pending, a further one runs at once. Before `Authorizer.load` it finds its client
    /// unidentified.
    func whenReady(for uid: UInt32, _ need: Need = .everything, _ body: @escaping @DaemonActor () -> Void) {
        guard !isReady(for: uid, need), pending.count < Self.mostPending else { return body() }
        pending.append((uid, need, body))
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
        let ready = pending.filter { isReady(for: $0.uid, $0.need) }
        if !ready.isEmpty {
            pending.removeAll { isReady(for: $0.uid, $0.need) }
            for call in ready { call.body() }
        }
        if authorizer.isLoaded, pending.isEmpty { changes.report(.everyProgramKnown) }
    }
}
