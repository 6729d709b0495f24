import Accounts
import Authorization
import Location
import Manifests
import Platform
import Varlink

/// The connections to the daemon, and the app of each. The app is identified by data of the kernel and systemd about
/// its process, and not by the program's own claim.
///
/// A connection is identified with its first call that needs it, so that a flood of idle connections costs nothing, and
/// again with each new connection of the process.
@DaemonActor
final class Clients {
    let library: ManifestLibrary
    let programs: ProgramInspector
    /// Who may operate the daemon.
    private(set) var operators: OperatorPolicy
    /// The users whose stored data is not used because their accounts were removed or changed, with the reasons.
    var suspensions: [UInt32: String] = [:]
    /// Incremented with every change of `suspensions`.
    var suspensionChanges: UInt64 = 0

    let authorizer: Authorizer
    let users: UserStates
    let changes: Changes
    private let holds: Holds
    private let accounts: UserAccounts
    private let ledger: PositionLedger
    var processes: [Policy.ProcessID: ClientProcess] = [:]
    var processesByKey: [ClientKey: ClientProcess] = [:]
    var apps: [AppID: ClientApp] = [:]
    let freezes: FreezeWatches
    private var open: [ObjectIdentifier: ClientSession] = [:]
    /// Processes without a connection, by the user to whose limit they count, the oldest first.
    private var idle: [UInt32: [Policy.ProcessID]] = [:]

    /// The most remembered processes without a connection of each user; a further one displaces the oldest.
    private static let mostIdleProcesses = 256
    /// The names of common listening sockets, including those that systemd assigns to a socket without a name.
    private static let commonListeners: Set<String> = ["varlink", "waymark.socket", "unknown", ""]

    init(
        library: ManifestLibrary, programs: ProgramInspector, operators: OperatorPolicy, authorizer: Authorizer,
        users: UserStates, holds: Holds, accounts: UserAccounts, ledger: PositionLedger, changes: Changes
    ) {
        self.library = library
        self.programs = programs
        self.operators = operators
        self.authorizer = authorizer
        self.users = users
        self.holds = holds
        self.accounts = accounts
        self.ledger = ledger
        self.changes = changes
        freezes = FreezeWatches(authorizer, changes: changes)
    }

    /// Applies another operators' group.
    func apply(_ operators: OperatorPolicy) {
        self.operators = operators
        for session in sessions {
            guard let peer = session.connection?.peer else { continue }
            session.isOperatorsUser = isOperatorsUser(peer)
        }
    }

    // Connections

    /// The open connections.
    var sessions: [ClientSession] { Array(open.values) }

    /// The open connections of an app.
    func sessions(of app: AppID) -> [ClientSession] { apps[app]?.processes.values.flatMap(\.sessions.values) ?? [] }

    /// An app with running processes.
    func app(_ id: AppID) -> ClientApp? { apps[id] }

    /// Records the authorization of an app, so that a delivery need not query the policy.
    func update(_ app: AppID, authorizationState: AuthorizationState) {
        apps[app]?.authorizationState = authorizationState
    }

    /// Records whether an app is in use.
    func update(_ app: AppID, isInUse: Bool) { apps[app]?.isInUse = isInUse }

    /// The identity of a client.
    func identity(of connection: ServerConnection) -> ClientIdentity { session(of: connection).identity }

    /// The session of a connection, which is identified if it was not before.
    func session(of connection: ServerConnection) -> ClientSession {
        let session = storedSession(of: connection)
        if session.process == nil, session.identifiedUnder != knowledge { identify(session) }
        return session
    }

    /// Identifies the selected connections that belong to no app, because they may belong to one now.
    func identifyOpen(where isConcerned: (ClientSession) -> Bool) {
        for session in sessions where isConcerned(session) {
            if let connection = session.connection, connection.isOpen { _ = self.session(of: connection) }
        }
    }

    /// Whether a client is an operator's program with its user's rights. Valid within a body of `Readiness.whenReady`.
    /// It does not look up the program, and so identifies no app by `Exec=`.
    func isOperator(_ connection: ServerConnection) -> Bool {
        guard isOperatorsUser(connection.peer) else { return false }
        let session = storedSession(of: connection)
        if session.process == nil, session.evaluatedUnder != knowledge {
            session.evaluatedUnder = knowledge
            // The program has no effect here.
            let evidence = connection.peer.evidence(listener: listener(of: connection)) { _ in
                .unknown("was not looked for")
            }
            session.standsForUser = evidence.map { standsForUser($0, library.catalogue.match($0)) } ?? false
        }
        return session.isOperator
    }

    /// Incremented with every change by which more clients may be identified.
    var knowledge: UInt64 { library.generation &+ programs.generation &+ suspensionChanges }

    private func storedSession(of connection: ServerConnection) -> ClientSession {
        if let session = connection.session as? ClientSession { return session }
        let session = ClientSession(connection, isOperatorsUser: isOperatorsUser(connection.peer), ledger: ledger)
        if session.isOperatorsUser { changes.report(.userSeen(session.userID, stores: false)) }
        connection.session = session
        open[ObjectIdentifier(session)] = session
        connection.onClose = { [weak self] in self?.closed(session) }
        return session
    }

    /// The app's own socket through which a client connected; nil for the common one.
    func listener(of connection: ServerConnection) -> String? {
        Self.commonListeners.contains(connection.listenerName) ? nil : connection.listenerName
    }

    /// Identifies a connection of an earlier process. The connection is closed if a partly sent message contains data
    /// that the client may not receive now.
    func restore(_ connection: ServerConnection) {
        guard connection.isOpen, connection.isResting else { return }
        let note = SessionNote(decoding: connection.note)
        let session = session(of: connection)
        if session.isSameApp, let process = session.process { authorizer.send(.wentOn(process.id)) }
        guard !connection.isDrained else { return }
        // The note is of another release, so a queued position cannot be excluded.
        guard let before = note else { return connection.close(.revoked) }
        guard before.given != .none || before.givenRecorded != .none else { return }
        let decision = authorizer.decide(for: session)
        let recorded = session.process.map { authorizer.decideRecorded(for: $0.app.id).access.feed } ?? .none
        if session.process?.app.id != before.app || decision.access.feed < before.given
            || recorded < before.givenRecorded
        {
            connection.close(.revoked)
        }
    }

    // Activity

    /// Records the activity that a client declares.
    func declare(_ activity: Activity, on session: ClientSession) {
        session.activity = activity
        if let process = session.process { updateActivity(of: process) }
    }

    func updateActivity(of process: ClientProcess) {
        let activity = process.declaredActivity
        guard activity != process.activity else { return }
        process.activity = activity
        authorizer.send(.declared(process.id, activity))
    }

    // Ends

    /// Handles the end of a process, or its change to another app.
    func end(_ process: ClientProcess, complaint: String = "the process that connected has ended") {
        guard processes.removeValue(forKey: process.id) != nil else { return }
        process.exit?.cancel()
        process.exit = nil
        if let group = process.controlGroup { freezes.remove(process.id, from: group) }
        if processesByKey[process.key] === process { processesByKey[process.key] = nil }
        isIdleNoLonger(process)
        holds.end(of: process)
        authorizer.send(.exited(process.id))
        process.app.processes[process.id] = nil
        if process.app.processes.isEmpty { apps[process.app.id] = nil }
        users.unwatch(process.app.id.uid)
        let sessions = Array(process.sessions.values)
        process.sessions = [:]
        for session in sessions {
            session.process = nil
            session.standsForUser = false
            session.activity = .background
            session.complaint = complaint
            (session.identifiedUnder, session.evaluatedUnder) = (knowledge, knowledge)
        }
        for session in sessions { changes.report(.identityChanged(session)) }
        changes.report(.processesChanged(process.app.id))
    }

    /// Records that a process was frozen or thawed.
    func froze(_ id: Policy.ProcessID, isFrozen: Bool) {
        guard let process = processes[id], process.isFrozen != isFrozen else { return }
        process.isFrozen = isFrozen
        changes.report(.processesChanged(process.app.id))
    }

    /// Called when a process has a connection again, or has ended.
    func isIdleNoLonger(_ process: ClientProcess) { idle[process.idleUser]?.removeAll { $0 == process.id } }

    private func closed(_ session: ClientSession) {
        open[ObjectIdentifier(session)] = nil
        changes.report(.connectionClosed(session))
        holds.end(of: session)
        guard let process = session.process else { return }
        session.process = nil
        process.sessions[ObjectIdentifier(session)] = nil
        updateActivity(of: process)
        guard process.sessions.isEmpty else { return }
        process.idleUser = accounts.limitUser(process.key.userID)
        idle[process.idleUser, default: []].append(process.id)
        guard let oldest = idle[process.idleUser]?.first, let all = idle[process.idleUser]?.count,
            all > Self.mostIdleProcesses, let forgotten = processes[oldest]
        else { return }
        end(forgotten)
    }
}

extension Clients: ConnectionSharing {
    func share(of peer: PeerIdentity) -> ConnectionShare {
        if peer.userID != 0, operators.isOperator(peer) { return .operator(peer.userID) }
        return accounts.share(of: peer)
    }
}
