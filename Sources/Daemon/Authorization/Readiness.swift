import Authorization
import Location
import Platform

/// Delays calls until everything is known by which their callers are identified and authorized.
@DaemonActor
final class Readiness {
    /// What has to be known.
    enum Need {
        /// The app of a program, and the decisions about that app.
        case everything
        /// Whether a program is an operator's, which has to be known also where the journal cannot be read.
        case operators
    }

    /// The recordings, whose users' manifests are needed although none of their programs runs.
    weak var recordings: RecordingRegistry?
    private let authorizer: Authorizer
    private let clients: Clients
    private let users: UserStates
    private let changes: Changes
    private var pending: [(uid: UInt32, need: Need, body: @DaemonActor () -> Void)] = []

    /// As many as there may be connections.
    private static let mostPending = 16_384

    init(authorizer: Authorizer, clients: Clients, users: UserStates, changes: Changes) {
        self.authorizer = authorizer
        self.clients = clients
        self.users = users
        self.changes = changes
    }

    /// Runs the body at once where everything is known for this user's programs, or as soon as it is.
    ///
    /// Where too many bodies are pending, a further one runs at once, and finds the client unidentified before `Authorizer.load`.
    func whenReady(for uid: UInt32, _ need: Need = .everything, _ body: @escaping @DaemonActor () -> Void) {
        guard !isReady(for: uid, need), pending.count < Self.mostPending else { return body() }
        pending.append((uid, need, body))
        clients.library.forgetUsers { uid in
            users.isWatched(uid) || recordings?.hasRecordings(of: uid) ?? false
                || clients.sessions.contains { $0.userID == uid }
        }
        clients.library.want(uid)
    }

    private func isReady(for uid: UInt32, _ need: Need) -> Bool {
        // An app that is known by its program alone is an operator's as well.
        clients.library.isReady(for: uid)
            && (need == .operators || authorizer.isLoaded && clients.programs.isSettled)
    }

    /// Runs the pending bodies for which everything is known now.
    func runPending() {
        let ready = pending.filter { isReady(for: $0.uid, $0.need) }
        if !ready.isEmpty {
            pending.removeAll { isReady(for: $0.uid, $0.need) }
            for call in ready { call.body() }
        }
        if authorizer.isLoaded, pending.isEmpty { changes.report(.everyProgramKnown) }
    }
}
