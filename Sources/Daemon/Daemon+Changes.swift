import Authorization
import Interfaces
import Journal
import NetworkPaths
import Platform
import Varlink

// Which parts are notified of a change, in which order. The order is part of what keeps positions from clients that may not
// have them: a stream stops before anybody, its own client included, is notified of the revocation; streams come before
// recordings, and both before whatever only shows the state.

extension Daemon {
    func react(to change: Change) {
        switch change {
        case .reducibleFix(let fix): reduced.receive(fix)
        case .firstReport(let fix): location.deliverFirst(fix)
        case .fix(let fix):
            location.deliver(fix)
            recordings.deliver(fix)
        case .pastFix(let fix): recordings.deliverPast(fix)
        case .reducedFix(let fix):
            location.deliver(fix)
            recordings.deliver(fix)
        case .sky(let sky): location.deliver(sky)
        case .positionUnavailable(let reason, let feed): location.notify(reason, on: feed)

        case .authorizationLoaded(let users):
            accountRetention.loaded()
            for uid in users { library.want(uid) }
            everythingChanged()
            readiness.runPending()
        case .everyProgramKnown: pipeline.goOn()
        case .authorizationChanged(let app, let state):
            clients.update(app, authorizationState: state)
            reviewAuthorization(of: app)
        case .useChanged(let app, let isInUse):
            clients.update(app, isInUse: isInUse)
            reviewAuthorization(of: app)
        case .grantChanged(let app): recordings.grantChanged(of: app)
        case .accessChanged(let app):
            location.reviewPositions(of: app)
            recordings.review(app)
        case .identityChanged(let session):
            location.reviewPositions(of: session)
            location.reportAuthorization(to: session)
            recording.identityChanged(session)
            uploads.review()
        case .identityOutdated(let process): clients.identifyAgain(process)
        case .everythingChanged: everythingChanged()
        case .servicesTurnedOff: pipeline.forgetPast()

        case .promptRaised(let prompt):
            prompts.raised(prompt)
            changed()
        case .promptEnded(let id):
            prompts.ended(id)
            changed()
        case .promptShown(let prompt, let agent): agents.show(prompt, to: agent)
        case .promptWithdrawn(let prompt): agents.withdraw(prompt)
        case .promptLimitsReset(let app): prompts.resetLimits(of: app)
        case .holdRefused(let hold):
            holds.forget(hold)
            location.holdLost(hold)
        case .holdLost(let hold): location.holdLost(hold)
        case .holdsChanged(let uid): agents.showHolds(of: uid)

        case .manifestsChanged:
            clients.manifestsChanged()
            everythingChanged()
        case .restrictionsChanged:
            clients.restrictionsChanged()
            // The policy reports to no app what restrictions forbid to recordings alone.
            everythingChanged()
        case .homesKnown: readiness.runPending()
        case .programsSettled:
            everythingChanged()
            readiness.runPending()

        case .accountChanged(let uid):
            server.reviewShares(of: uid)
            accountRetention.changed(uid)
        case .userSeen(let uid, let stores): accountRetention.seen(uid, stores: stores)
        case .userStatesChanged: users.refresh(askable: agents.agentUsers)
        case .homeExamined(let uid): accountRetention.homeSeen(uid)

        case .recordingChanged(let entry):
            recording.stored(entry)
            uploads.recordingChanged(UploadKey(entry.stored.key))
        case .recordingReadersChanged(let app): recording.readersChanged(app)
        case .recordingErased(let key): uploads.recordingErased(UploadKey(key))

        case .journalLoaded(let authorization, let stored): load(authorization, stored)
        case .journalStateChanged: journalChanged()
        case .stateDirectoryInUse(let error): giveUp(error)
        case .eventsCommitted(let events): journalService.committed(events)
        case .recordingsStored(let all): recordings.stored(all)
        case .seenPositionsRequested: ledger.write()
        case .stateLost(let loss): recorder.record(loss.event)

        case .networkPathChanged(let path): reachability.notify(path)
        case .targetChanged(let key, let target): reachability.notify(key, target)
        case .nameLookedUp(let key): reachability.lookedUp(key)
        case .networkPathRecorded(let path): recorder.record(Event(path))
        case .networkSettled:
            reachability.settled()
            changed()
        case .hostStatusChanged(let host, let target): record(target, of: host)

        case .configurationChanged(let configuration): apply(configuration)
        case .statusChanged: changed()
        case .statusDetailChanged: statusStream.changed()
        }
    }

    /// An app may have less or more than before: its positions first, then the report of its authorization.
    private func reviewAuthorization(of app: AppID) {
        location.reviewPositions(of: app)
        location.reportAuthorization(of: app)
        recordings.review(app)
    }

    /// Any client may have less or more than before: those with open calls first, then what only shows the state.
    private func everythingChanged() {
        clients.identifyOpen { location.concerns($0) }
        location.reviewPositions(of: clients.sessions)
        location.reportAuthorization(to: clients.sessions)
        recordings.reviewAll()
        agents.review()
        uploads.review()
        journalService.endChanged()
        manage?.review()
        changed()
    }

    /// Recordings are known before the decisions, and both before any client has a position by them. The journal is loaded by
    /// a thread of its own, and so always after `start`.
    private func load(_ authorization: LoadedAuthorization, _ stored: LoadedRecordings) {
        let state = authorization.state
        accountRetention.note(stored.recordings)
        let known = stored.loss == nil ? Set(stored.recordings.map { UploadKey($0.key) }) : nil
        uploads.restore(state.values, recordings: known)
        recordings.load(stored)
        clients.suspensions = accountRetention.load(authorization)
        prompts.load(state)
        ledger.restore(state.values[PositionLedger.savedName])
        let left = continuation.load()
        users.lock(left.locked)
        authorizer.load(authorization, suspended: Set(clients.suspensions.keys), continuing: left.apps)
        pipeline.decisionsAreKnown()
    }

    /// Records that a host changed for each app that watches it.
    private func record(_ target: TargetReachability, of host: WatchedHost) {
        let connections = host.monitors.values.map(\.connection)
        // Right after the start no client is identified yet.
        readiness.whenReady(for: host.key.uid) { [clients, clientRecorder] in
            let apps = Set(connections.filter(\.isOpen).compactMap { clients.identity(of: $0).app })
            for app in apps { clientRecorder.record(Event(target, app: app)) }
        }
    }
}
