import Authorization
import Location
import Manifests
import Platform
import Varlink

// Identification: the app of a connection's process, by the manifests that match the evidence about the process.

extension Clients {
    /// Identifies the app of the process that made a connection.
    func identify(_ session: ClientSession) {
        guard authorizer.isLoaded, let connection = session.connection else { return }
        (session.identifiedUnder, session.evaluatedUnder) = (knowledge, knowledge)
        session.standsForUser = false
        let peer = connection.peer
        let key = ClientKey(processID: peer.processID, userID: peer.userID, listener: listener(of: connection))
        // A process whose end was not reported yet may have left its number to this one.
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
            session.suspension = suspensions[found.app.uid]
            if let why = session.suspension {
                if let known = processesByKey[key] { end(known, complaint: why) }
                (session.complaint, session.standsForUser) = (why, false)
                return
            }
            if let known = processesByKey[key] {
                if known.app.id == found.app, known.proof == found.proof, known.assurance == found.assurance {
                    known.evidence = evidence
                    authorizer.send(.fitted(known.id, fitted(evidence)))
                    return join(session, known)
                }
                // The process runs another program now: its other connections are of that program as well.
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
    func standsForUser(_ evidence: PeerEvidence, _ match: Catalogue.Match) -> Bool {
        match.standsForUser && !evidence.isFlatpak && !library.catalogue.isUnnamedInstance(evidence)
    }

    /// The names of all manifests that fit a process, where a restriction is about them.
    private func fitted(_ evidence: PeerEvidence) -> Set<String> {
        library.restrictions.deniedApps.isEmpty ? [] : library.catalogue.fitting(evidence)
    }

    /// Manifests have changed: the policy has them once it is known which of them fit the processes there are. Processes that
    /// are another app by them are identified again.
    func manifestsChanged() {
        refreshFitted()
        authorizer.send(.manifestsChanged(library.catalogue.manifests))
        for process in Array(processes.values) {
            switch library.catalogue.match(process.evidence) {
            // Where a manifest is missing, the app waits for it.
            case .unidentified: break
            case .app(let id, let proof) where id == process.app.id.name && proof == process.proof: break
            case .app, .ambiguous: identifyAgain(process.id)
            }
        }
    }

    /// Restrictions have changed: as above.
    func restrictionsChanged() {
        refreshFitted()
        authorizer.send(.restrictionsChanged(library.restrictions.restrictions))
    }

    private func refreshFitted() {
        for process in processes.values { authorizer.send(.fitted(process.id, fitted(process.evidence))) }
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
            // A service of the system may have a dynamic user, another one at each start.
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
        let authorizationState = authorizer.policy.authorizationState(for: found.app, at: authorizer.instant)
        let app = apps[found.app] ?? ClientApp(found.app, authorizationState: authorizationState)
        let process = ClientProcess(
            id: authorizer.newNumber(), key: key, peer: peer, app: app, assurance: found.assurance, proof: found.proof,
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
        users.watch(found.app.uid)
        let effects = authorizer.send(
            .attached(
                Policy.Process(
                    id: process.id, app: found.app, assurance: found.assurance,
                    isInSession: !found.proof.isSystems && evidence.systemUnit == nil,
                    mark: peer.startTime.map { Continuation.Mark(processID: key.processID, startTime: $0) },
                    fitted: fitted(evidence))))
        guard !effects.contains(.notAttached(process.id)) else {
            session.complaint =
                "that it is \(found.app.name) is proved by \(found.assurance.rawValue) only, which does not suffice here"
            users.unwatch(found.app.uid)
            return nil
        }
        processes[process.id] = process
        processesByKey[key] = process
        apps[found.app] = app
        app.processes[process.id] = process
        app.authorizationState = authorizer.policy.authorizationState(for: found.app, at: authorizer.instant)
        app.isInUse = authorizer.policy.isInUse(found.app)
        join(session, process)
        watchFreezing(of: process, evidence)
        return process
    }

    private func watchFreezing(of process: ClientProcess, _ evidence: PeerEvidence) {
        var isFrozen = false
        if let group = evidence.controlGroup {
            process.controlGroup = group
            isFrozen = freezes.add(process.id, in: group)
        }
        // Version 1 of control groups does not notify.
        guard isFrozen || FreezeState.isFrozen(process.peer) == true else { return }
        authorizer.send(.froze(process.id, isFrozen: true))
    }

    private func join(_ session: ClientSession, _ process: ClientProcess) {
        session.process = process
        session.standsForUser = process.proof.leavesOperators && !process.evidence.isFlatpak
        session.complaint = nil
        process.sessions[ObjectIdentifier(session)] = session
        isIdleNoLonger(process)
        updateActivity(of: process)
    }

    /// Identifies a process again whose manifest has changed.
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
}

extension IdentityKey {
    /// Whether an app that is proved by this key is one of the system, not of a user.
    fileprivate var isSystems: Bool { self == .unit || self == .socket }

    /// Whether an operator's program that is an app by this proof is an operator's all the same: an app that is known by its
    /// program alone could run `waymark` as well. Any other app may be confined to less than its user.
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
