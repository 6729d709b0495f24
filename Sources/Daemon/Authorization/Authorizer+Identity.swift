import Authorization
import Location
import Manifests
import Platform
import Varlink

// Who is a client: by what the kernel and systemd say of the process, never by its own word.
//
// It is found out with the first call of a connection that needs it, so that a flood of idle ones costs nothing, and
// again with each new connection of the process.

extension Authorizer {
    /// How many processes without a connection are remembered of each user; a further one lets go of the oldest.
    static let mostIdleProcesses = 256

    /// The names of listening sockets that are no app's own: what systemd calls one where nobody named it, too.
    private static let commonListeners: Set<String> = ["varlink", "waymark.socket", "unknown", ""]

    /// Who a client is.
    func identity(of connection: ServerConnection) -> ClientIdentity { session(of: connection).identity }

    /// Whether a client is an operator's, and its program is no app that is held to be one: to be asked once `whenReady`
    /// runs what was to wait for that. By asking no program becomes an app's.
    func isOperator(_ connection: ServerConnection) -> Bool {
        guard isOperatorsUser(connection.peer) else { return false }
        let session = previousSession(of: connection)
        if session.process == nil, session.evaluatedUnder != knowledge {
            session.evaluatedUnder = knowledge
            // Which program it is does not matter to that.
            let evidence = connection.peer.evidence(listener: listener(of: connection)) { _ in
                .unknown("was not looked for")
            }
            session.standsForUser = evidence.map { standsForUser($0, library.catalogue.match($0)) } ?? false
        }
        return session.isOperator
    }

    /// Counts up with everything by which a client may be known better.
    private var knowledge: UInt64 { library.generation &+ programs.generation &+ suspensionChanges }

    /// What is known of a connection, whose it is found out.
    func session(of connection: ServerConnection) -> ClientSession {
        let session = previousSession(of: connection)
        if session.process == nil, session.identifiedUnder != knowledge { identify(session) }
        return session
    }

    private func previousSession(of connection: ServerConnection) -> ClientSession {
        if let session = connection.session as? ClientSession { return session }
        let session = ClientSession(connection, isOperatorsUser: isOperatorsUser(connection.peer), ledger: ledger)
        if session.isOperatorsUser { changes.report(.userSeen(session.userID, stores: false)) }
        connection.session = session
        sessions[ObjectIdentifier(session)] = session
        connection.onClose = { [weak self] in self?.closed(session) }
        return session
    }

    /// The app's own socket through which a client connected; nil for the one that everybody uses.
    private func listener(of connection: ServerConnection) -> String? {
        Self.commonListeners.contains(connection.listenerName) ? nil : connection.listenerName
    }

    /// Finds out whose a connection is that an earlier process left. Where a part of something is still to be sent to it
    /// that it may not see now, it ends.
    func restore(_ connection: ServerConnection) {
        guard connection.isOpen, connection.isResting else { return }
        let note = SessionNote(decoding: connection.note)
        let session = session(of: connection)
        if session.isSameApp, let process = session.process { send(.wentOn(process.id)) }
        guard !connection.isDrained else { return }
        // What another release noted may mean that a position is on its way.
        guard let before = note else { return connection.close(.revoked) }
        guard before.given != .none || before.givenRecorded != .none else { return }
        let decision = decide(for: session)
        let recorded = session.process.map { decideRecorded(for: $0.app.id).access.feed } ?? .none
        if session.process?.app.id != before.app || decision.access.feed < before.given
            || recorded < before.givenRecorded
        {
            connection.close(.revoked)
        }
    }

    /// Finds out of which app the process is that made a connection.
    private func identify(_ session: ClientSession) {
        guard isLoaded, let connection = session.connection else { return }
        (session.identifiedUnder, session.evaluatedUnder) = (knowledge, knowledge)
        session.standsForUser = false
        let peer = connection.peer
        let key = ClientKey(processID: peer.processID, userID: peer.userID, listener: listener(of: connection))
        // One whose end was not told yet may have left its number to this one.
        if let known = processesByKey[key], !known.peer.isAlive { end(known) }
        guard let evidence = programs.evidence(of: peer, listener: key.listener) else {
            session.complaint = "the process that connected has ended"
            return
        }
        let match = library.catalogue.match(evidence)
        session.standsForUser = standsForUser(evidence, match)
        switch find(match, evidence) {
        case .failure(let complaint):
            if let known = processesByKey[key] { end(known, complaint: complaint.text) }
            session.complaint = complaint.text
        case .success(let found):
            changes.report(.userSeen(found.app.uid, stores: false))
            session.suspension = suspension(of: found.app.uid)
            if let why = session.suspension {
                if let known = processesByKey[key] { end(known, complaint: why) }
                (session.complaint, session.standsForUser) = (why, false)
                return
            }
            if let known = processesByKey[key] {
                if known.app.id == found.app, known.proof == found.proof, known.assurance == found.assurance {
                    known.evidence = evidence
                    send(.fitted(known.id, fitted(evidence)))
                    return join(session, known)
                }
                // It runs another program now, and so do its other connections' ends.
                let moved = Array(known.sessions.values)
                end(known)
                guard let process = attach(found, key: key, peer: peer, evidence: evidence, session) else { return }
                for session in moved { join(session, process) }
                for session in moved { changes.report(.identityChanged(session)) }
                return
            }
            _ = attach(found, key: key, peer: peer, evidence: evidence, session)
        }
    }

    /// Whether a process may do what its user may: it is of no app, or of one that it may leave, and not in a sandbox of
    /// Flatpak, whatever manifests say.
    private func standsForUser(_ evidence: PeerEvidence, _ match: Catalogue.Match) -> Bool {
        match.standsForUser && !evidence.isFlatpak && !library.catalogue.isUnnamedInstance(evidence)
    }

    /// The names of all manifests that fit a process, where a restriction is about them.
    private func fitted(_ evidence: PeerEvidence) -> Set<String> {
        library.restrictions.deniedApps.isEmpty ? [] : library.catalogue.fitting(evidence)
    }

    /// Looks with changed manifests or restrictions at what fits the processes that there are: before anything else counts
    /// that has changed.
    func refreshFitted() {
        for process in processes.values { send(.fitted(process.id, fitted(process.evidence))) }
    }

    /// Identifies those processes again that are another app by changed manifests.
    func identifyMoved() {
        for process in Array(processes.values) {
            switch library.catalogue.match(process.evidence) {
            // Where a manifest is missing, its app waits for it.
            case .unidentified: break
            case .app(let id, let proof) where id == process.app.id.name && proof == process.proof: break
            case .app, .ambiguous: identifyAgain(process.id)
            }
        }
    }

    private struct Found {
        var app: AppID
        var proof: IdentityKey
        var assurance: Assurance
    }

    private struct Complaint: Error {
        var text: String
    }

    private func find(_ match: Catalogue.Match, _ evidence: PeerEvidence) -> Result<Found, Complaint> {
        switch match {
        case .app(let id, let proof):
            // The system's services may have users that are made up for each start.
            return .success(
                Found(
                    app: AppID(uid: proof.isSystems ? 0 : evidence.userID, name: id), proof: proof,
                    assurance: evidence.honestAssurance(by: proof)))
        case .ambiguous(let ids, let key):
            return .failure(
                Complaint(text: "by \(key.rawValue)= it could be any of \(ids.joined(separator: ", "))"))
        case .unidentified(let why): return .failure(Complaint(text: why))
        }
    }

    private func attach(
        _ found: Found, key: ClientKey, peer: PeerIdentity, evidence: PeerEvidence, _ session: ClientSession
    ) -> ClientProcess? {
        let app =
            apps[found.app]
            ?? ClientApp(found.app, authorizationState: policy.authorizationState(for: found.app, at: instant))
        let process = ClientProcess(
            id: newNumber(), key: key, peer: peer, app: app, assurance: found.assurance, proof: found.proof,
            evidence: evidence)
        do throws(SystemError) {
            process.exit = try peer.watchExit { [weak self, weak process] in
                if let process { self?.end(process) }
            }
        } catch {
            session.complaint = "its end cannot be watched: \(error)"
            return nil
        }
        guard process.exit != nil else {
            session.complaint = "the process that connected has ended"
            return nil
        }
        watchUser(found.app.uid)
        let effects = send(
            .attached(
                Policy.Process(
                    id: process.id, app: found.app, assurance: found.assurance,
                    isInSession: !found.proof.isSystems && evidence.systemUnit == nil,
                    mark: peer.startTime.map { Continuation.Mark(processID: key.processID, startTime: $0) },
                    fitted: fitted(evidence))))
        guard !effects.contains(.notAttached(process.id)) else {
            session.complaint =
                "that it is \(found.app.name) is proved by \(found.assurance.rawValue) only, which does not suffice here"
            unwatchUser(found.app.uid)
            return nil
        }
        processes[process.id] = process
        processesByKey[key] = process
        apps[found.app] = app
        app.processes[process.id] = process
        app.authorizationState = policy.authorizationState(for: found.app, at: instant)
        app.isInUse = policy.isInUse(found.app)
        join(session, process)
        watchFreezing(of: process, evidence)
        return process
    }

    private func watchFreezing(of process: ClientProcess, _ evidence: PeerEvidence) {
        var isFrozen = false
        if let group = evidence.controlGroup {
            process.controlGroup = group
            isFrozen = freezes?.add(process.id, in: group) ?? false
        }
        // In version 1 it is known only when somebody asks.
        if isFrozen || FreezeState.isFrozen(process.peer) == true { send(.froze(process.id, isFrozen: true)) }
    }

    private func join(_ session: ClientSession, _ process: ClientProcess) {
        session.process = process
        session.standsForUser = process.proof.leavesOperators && !process.evidence.isFlatpak
        session.complaint = nil
        process.sessions[ObjectIdentifier(session)] = session
        idle[process.idleUser]?.removeAll { $0 == process.id }
        updateActivity(of: process)
    }

    /// Identifies a process again, where the manifest by which it was known has changed.
    func identifyAgain(_ id: Policy.ProcessID) {
        guard let process = processes[id] else { return }
        let moved = Array(process.sessions.values)
        end(process)
        for session in moved {
            session.activity = .background
            identify(session)
            changes.report(.identityChanged(session))
        }
    }

    // Ends

    /// A process has ended, or is not what it was.
    func end(_ process: ClientProcess, complaint: String = "the process that connected has ended") {
        guard processes.removeValue(forKey: process.id) != nil else { return }
        process.exit?.cancel()
        process.exit = nil
        if let group = process.controlGroup { freezes?.remove(process.id, from: group) }
        if processesByKey[process.key] === process { processesByKey[process.key] = nil }
        idle[process.idleUser]?.removeAll { $0 == process.id }
        endHolds { $0.process == process.id }
        send(.gone(process.id))
        process.app.processes[process.id] = nil
        if process.app.processes.isEmpty { apps[process.app.id] = nil }
        unwatchUser(process.app.id.uid)
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
    }

    private func closed(_ session: ClientSession) {
        sessions[ObjectIdentifier(session)] = nil
        endHolds { $0.session === session }
        guard let process = session.process else { return }
        session.process = nil
        process.sessions[ObjectIdentifier(session)] = nil
        updateActivity(of: process)
        guard process.sessions.isEmpty else { return }
        process.idleUser = limitUser(process.key.userID)
        idle[process.idleUser, default: []].append(process.id)
        guard let oldest = idle[process.idleUser]?.first, let all = idle[process.idleUser]?.count,
            all > Self.mostIdleProcesses, let forgotten = processes[oldest]
        else { return }
        end(forgotten)
    }

    // What it does

    /// Notes what a client says that it does.
    func declare(_ activity: Activity, on session: ClientSession) {
        session.activity = activity
        if let process = session.process { updateActivity(of: process) }
    }

    private func updateActivity(of process: ClientProcess) {
        let activity = process.declaredActivity
        guard activity != process.activity else { return }
        process.activity = activity
        send(.declared(process.id, activity))
    }
}

extension IdentityKey {
    /// Whether what it proves is an app of the system, not of a user.
    fileprivate var isSystems: Bool { self == .unit || self == .socket }

    /// Whether an operator's program that is an app by it operates the daemon all the same: one that is known by its program
    /// alone could run `waymark` as well. Any other may be confined to less than its user may.
    fileprivate var leavesOperators: Bool { self == .exec }
}

extension Catalogue.Match {
    /// Whether the process may do what its user may: it is of no app, or of one that it may leave.
    fileprivate var standsForUser: Bool {
        switch self {
        case .unidentified: true
        case .app(_, let proof), .ambiguous(_, let proof): proof.leavesOperators
        }
    }
}

extension PeerEvidence {
    /// How well an app is proved by this evidence. Where the kernel does not bind processes to connections, a process of
    /// the same user can have taken the number of the one that connected: that proves no more than that user. A listening
    /// socket proves what it does without a process.
    func honestAssurance(by proof: IdentityKey) -> Assurance {
        isRacy && proof != .socket ? .program : proof.assurance
    }
}
