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
        // An earlier process with the same number may have ended without being reported yet.
        if let known = processesByKey[key], !known.peer.isAlive { end(known) }
        guard let evidence = programs.evidence(of: peer, listener: key.listener) else {
            session.complaint = "the process that connected has ended"
            return
        }
        let match = library.catalogue.match(evidence)
        session.standsForUser = standsForUser(evidence, match)
        switch find(match, evidence) {
        case .failure(let complaint):
            session.complaint = complaint.text
            guard let known = processesByKey[key], !isUncertain(match, of: known) else { return }
            end(known, complaint: complaint.text)
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
                // The process runs another program now, so its other connections belong to that program as well.
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

    /// Whether a process may still be the app that it was, because its program cannot be identified at present. Its other
    /// connections remain, and the new one is identified afterwards.
    private func isUncertain(_ match: Catalogue.Match, of known: ClientProcess) -> Bool {
        guard case .unidentified = match else { return false }
        return known.proof == .exec && programs.isUndecided(known.peer)
    }

    /// Whether a process has its user's rights: it is no app, or an app that does not confine it, and it is not in a
    /// Flatpak sandbox, whatever manifests say.
    func standsForUser(_ evidence: PeerEvidence, _ match: Catalogue.Match) -> Bool {
        match.standsForUser && !evidence.isFlatpak && !library.catalogue.isUnnamedInstance(evidence)
    }

    /// The names of all manifests that fit a process, if a restriction refers to them.
    private func fitted(_ evidence: PeerEvidence) -> Set<String> {
        library.restrictions.deniedApps.isEmpty ? [] : library.catalogue.fitting(evidence)
    }

    /// Handles a change of the manifests. The policy receives them when it is known which of them fit the running
    /// processes. Processes that belong to another app now are identified again.
    func manifestsChanged() {
        refreshFitted()
        authorizer.send(.manifestsChanged(library.catalogue.manifests))
        for process in Array(processes.values) {
            switch library.catalogue.match(process.evidence) {
            // If a manifest is missing, the process remains attached: the manifest may return.
            case .unidentified: break
            case .app(let id, let proof) where id == process.app.id.name && proof == process.proof: break
            case .app, .ambiguous: identifyAgain(process.id)
            }
        }
    }

    /// Handles a change of the restrictions likewise.
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
            // A system service may have a dynamic user, which differs with each start.
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
        changes.report(.processesChanged(found.app))
        return process
    }

    private func watchFreezing(of process: ClientProcess, _ evidence: PeerEvidence) {
        var isFrozen = false
        if let group = evidence.controlGroup {
            process.controlGroup = group
            isFrozen = freezes.add(process.id, in: group)
        }
        // Control groups of version 1 send no notification, so the state is read now.
        guard isFrozen || FreezeState.isFrozen(process.peer) == true else { return }
        process.isFrozen = true
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

    /// Identifies a process again, because its manifest has changed.
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
    /// Whether an app that is identified by this key belongs to the system, not to a user.
    fileprivate var isSystems: Bool { self == .unit || self == .socket }

    /// Whether an operator's program that is an app by this key also has its operator's rights. An app that is
    /// identified by its program alone could execute `waymark` as well. Any other app may be confined to less than its
    /// user.
    fileprivate var leavesOperators: Bool { self == .exec }
}

extension Catalogue.Match {
    /// Whether the process has its user's rights: it is no app, or an app that does not confine it.
    fileprivate var standsForUser: Bool {
        switch self {
        case .unidentified: true
        case .app(_, let proof), .ambiguous(_, let proof): proof.leavesOperators
        }
    }
}

extension PeerEvidence {
    /// The assurance of this evidence. If the kernel does not bind processes to connections, the number may belong to
    /// another process of the same user, so a key proves no more than the user. A listening socket proves the app
    /// without the process.
    func honestAssurance(by proof: IdentityKey) -> Assurance {
        isRacy && proof != .socket ? .program : proof.assurance
    }
}
