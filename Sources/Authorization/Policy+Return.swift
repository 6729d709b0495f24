import Location

// What continues over a restart of the daemon: rights of processes that existed before, provided that the app is in use
// again before these rights would have ended.

extension Policy {
    /// Restores the rights of an app, as far as the stored decision still permits them. They have no effect until a
    /// process has returned.
    mutating func awaitReturn(of app: AppID, _ continuation: Continuation) {
        guard let grant = apps[app]?.grant, grant.decidedAt == continuation.decidedAt, !continuation.processes.isEmpty
        else { return }
        let now = batch.now.monotonicNanoseconds
        let until = min(continuation.outOfUseSince ?? 0, now) + Self.onceLapseNanoseconds
        let heldUntil = min(continuation.heldUntil ?? .max, now + Self.onceLapseNanoseconds)
        var continuation = continuation
        continuation.isOnce = continuation.isOnce && grant.isOnce && until > now
        continuation.hasTemporaryFullAccuracy =
            continuation.hasTemporaryFullAccuracy && grant.permission.isAuthorized && grant.accuracy == .reduced
            && until > now
        if heldUntil <= now { continuation.holders = [] }
        guard continuation.isOnce || continuation.hasTemporaryFullAccuracy || !continuation.holders.isEmpty else {
            return
        }
        apps[app]?.returning = Returning(continuation: continuation, until: until, heldUntil: heldUntil)
        returning.insert(app)
        guard continuation.isOnce else { return }
        apps[app]?.lapsesAt = until
        lapsing.insert(app)
    }

    /// A process of an app was identified: it may be one from before the restart.
    mutating func comeBack(_ process: Process) {
        guard let mark = process.mark, apps[process.app]?.returning?.continuation.processes.contains(mark) == true
        else { return }
        if apps[process.app]?.awaitsReturn == true { note(.stateRestored, process.app, details: ["what": "once"]) }
        apps[process.app]?.returning?.isBack = true
    }

    /// A process has ended or is no longer an app's, so it cannot return.
    mutating func leaveForGood(_ process: Process) {
        guard let mark = process.mark else { return }
        apps[process.app]?.returning?.continuation.processes.remove(mark)
        apps[process.app]?.returning?.continuation.holders.remove(mark)
    }

    /// A process continues. Its permission counts as uninterrupted during the time without a daemon.
    mutating func goOn(_ id: ProcessID) {
        guard let process = processes[id], let state = apps[process.process.app], state.fullSince != nil,
            process.isInUse(user: users[process.process.app.uid] ?? .absent, manifest: state.manifest)
        else { return }
        apps[process.process.app]?.fullSince = 0
    }

    /// Restores temporary full accuracy when the app is in use again.
    mutating func resumeTemporary(of app: AppID) {
        guard let state = apps[app], let returning = state.returning, returning.isBack, state.isInUse,
            returning.continuation.hasTemporaryFullAccuracy
        else { return }
        apps[app]?.returning?.continuation.hasTemporaryFullAccuracy = false
        if state.temporary == .none, returning.until > batch.now.monotonicNanoseconds {
            apps[app]?.temporary = .inForce
            note(.stateRestored, app, details: ["what": "temporaryFullAccuracy"])
        }
    }

    /// Whether a process had a background activity session that only the restart ended.
    func mayHoldAgain(_ id: ProcessID) -> Bool {
        guard let process = processes[id]?.process, let mark = process.mark,
            let returning = apps[process.app]?.returning
        else { return false }
        return returning.continuation.holders.contains(mark)
            && batch.now.monotonicNanoseconds < returning.heldUntil
    }

    /// Ends the rights from before the restart that have not continued by now.
    mutating func endReturn(of app: AppID) {
        guard returning.remove(app) != nil else { return }
        apps[app]?.returning = nil
        batch.touched.insert(app)
    }

    /// What is stored of an app for the next process of the daemon; nil if there is nothing.
    func continuation(of app: AppID) -> Continuation? {
        // A later decision that could not be stored must not be bypassed.
        guard let state = apps[app], !state.decisions.hasLost, let decidedAt = state.grant.decidedAt else { return nil }
        var continuation = Continuation(decidedAt: decidedAt, processes: [])
        continuation.isOnce = state.grant.isOnce
        continuation.hasTemporaryFullAccuracy = state.temporary == .inForce
        continuation.outOfUseSince = state.lapsesAt.map { $0 - Self.onceLapseNanoseconds }
        for id in state.processes {
            guard let process = processes[id], let mark = process.process.mark else { continue }
            continuation.processes.insert(mark)
            if !process.holds.isEmpty { continuation.holders.insert(mark) }
        }
        if let returning = state.returning {
            let before = returning.continuation
            if state.awaitsReturn { continuation.processes = [] }
            continuation.processes.formUnion(before.processes)
            if before.hasTemporaryFullAccuracy {
                continuation.hasTemporaryFullAccuracy = true
                continuation.outOfUseSince = returning.until - Self.onceLapseNanoseconds
            }
            if returning.heldUntil > batch.now.monotonicNanoseconds, !before.holders.isSubset(of: continuation.holders)
            {
                continuation.holders.formUnion(before.holders)
                continuation.heldUntil = returning.heldUntil
            }
        }
        guard continuation.isOnce || continuation.hasTemporaryFullAccuracy || !continuation.holders.isEmpty,
            !continuation.processes.isEmpty
        else {
            return nil
        }
        return continuation
    }
}
