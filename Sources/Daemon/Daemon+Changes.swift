import Authorization
import Interfaces
import Journal
import NetworkPaths
import Platform
import Varlink

// Which parts are notified of a change, and in which order. The order is a part of the protection of positions: a
// stream stops before any client, including its own, is notified of the revocation. Streams precede recordings, and
// both precede parts that only show the state.

extension Daemon {
    func react(to change: Change) {
        switch change {
        case .reducibleFix(let fix): reduced.receive(fix)
        case .firstReport(let fix): location.deliverFirst(fix)
        case .fix(let fix):
            location.deliver(fix)
            recordings.deliver(fix)
            regions.deliver(fix)
            wakePositions.deliver(fix)
            pipeline.planSleep(after: fix)
        case .pastFix(let fix): recordings.deliverPast(fix)
        case .reducedFix(let fix):
            location.deliver(fix)
            recordings.deliver(fix)
        case .sky(let sky): location.deliver(sky)
        case .heading(let heading): location.deliver(heading)
        case .positionUnavailable(let reason, let feed):
            location.notify(reason, on: feed)
            if feed == .full { regions.lose(reason) }

        case .authorizationLoaded(let users):
            accountRetention.loaded()
            for uid in users { library.want(uid) }
            identities.begin()
            everythingChanged()
            readiness.runPending()
        case .everyProgramKnown: pipeline.goOn()
        case .authorizationChanged(let app, let state):
            clients.update(app, authorizationState: state)
            reviewAuthorization(of: app)
        case .useChanged(let app, let isInUse):
            clients.update(app, isInUse: isInUse)
            reviewAuthorization(of: app)
        case .grantChanged(let app):
            regions.review(app)
            location.eraseVisits(ifWithdrawn: app)
            recordings.grantChanged(of: app)
            wakes.review(app)
        case .accessChanged(let app):
            location.reviewPositions(of: app)
            regions.review(app)
            recordings.review(app)
            if holds.count(of: app) > 0 { agents.showHolds(of: app.uid) }
        case .identityChanged(let session):
            location.reviewPositions(of: session)
            region.identityChanged(session)
            waking.identityChanged(session)
            location.reportAuthorization(to: session)
            recording.identityChanged(session)
            uploads.review()
        case .connectionClosed(let session): region.discardStaged(by: session)
        case .processesChanged(let app): wakes.review(app)
        case .processFroze(let process, let isFrozen): clients.froze(process, isFrozen: isFrozen)
        case .identityOutdated(let process): clients.identifyAgain(process)
        case .everythingChanged: everythingChanged()
        case .servicesTurnedOff:
            pipeline.forgetPast()
            regions.reviewAll()
            visits.erase { _ in true }

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
            identities.review()
            everythingChanged()
        case .restrictionsChanged:
            clients.restrictionsChanged()
            // The policy reports only restrictions of positions, and not those of recordings alone.
            everythingChanged()
        case .homesKnown: readiness.runPending()
        case .programsSettled:
            everythingChanged()
            readiness.runPending()

        case .accountChanged(let uid):
            server.reviewShares(of: uid)
            accountRetention.changed(uid)
            operatorUsers.accountChanged(uid)
        case .operatorChanged(let uid): regions.operatorChanged(uid)
        case .userSeen(let uid, let stores): accountRetention.seen(uid, stores: stores)
        case .userStatesChanged: users.refresh(askable: agents.agentUsers)
        case .screensChanged(let locked): users.setReported(locked)
        case .screenLocked(let uid): userProtections.screenLocked(of: uid)
        case .sessionsEnded(let uid): userProtections.sessionsEnded(of: uid)
        case .idlenessChanged(let since): userProtections.idlenessChanged(since: since)
        case .homeExamined(let uid): accountRetention.homeSeen(uid)

        case .recordingChanged(let entry):
            recording.stored(entry)
            uploads.recordingChanged(UploadKey(entry.stored.key))
        case .recordingReadersChanged(let app): recording.readersChanged(app)
        case .recordingErased(let key): uploads.recordingErased(UploadKey(key))

        case .machineSecretFound(let secret): protection.receive(secret)
        case .recordingLocked(let key): uploads.recordingChanged(UploadKey(key))
        case .protectedDataChanged:
            recordings.protectionChanged()
            recording.protectedDataChanged()
            location.protectionChanged()
            regions.protectionChanged()
            protectionService.changed()
            uploads.protectedDataChanged()
            protectionEnd.review()
            changed()

        case .regionsLoaded:
            accountRetention.regionsLoaded()
            regions.reviewAll()
            region.loaded()
            wakes.reviewAll()
            waking.loaded()
            changed()
        case .regionAccessChanged(let owner):
            region.review(owner)
            if let app = owner.appID { wakes.review(app) }
        case .regionEventsStored(let key):
            region.stored(key)
            if let app = key.owner.appID { wakes.review(app) }
        case .regionEventsAcknowledged(let key):
            if let app = key.owner.appID { wakes.send(.acknowledged, to: app) }
        case .regionMonitorRemoved(let key): region.removed(key)

        case .journalLoaded(let authorization, let stored): load(authorization, stored)
        case .journalStateChanged: journalChanged()
        case .stateDirectoryInUse(let error): giveUp(error)
        case .eventsCommitted(let events): journalService.committed(events)
        case .recordingsStored(let all): recordings.stored(all)
        case .seenPositionsRequested: ledger.write()
        case .stateLost(let loss): recorder.record(loss.event)

        case .nameServersChanged: network.nameServersChanged()
        case .networkCostsChanged(let costs): network.use(costs: costs)
        case .networkPathChanged(let path):
            reachability.notify(path)
            wakes.pathChanged(path)
        case .targetChanged(let key, let target):
            reachability.notify(key, target)
            wakes.targetChanged(key, target)
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

    /// An app's rights have changed: its positions are reviewed first, then its authorization is reported.
    private func reviewAuthorization(of app: AppID) {
        location.reviewPositions(of: app)
        regions.review(app)
        location.eraseVisits(ifWithdrawn: app)
        location.reportAuthorization(of: app)
        recordings.review(app)
        wakes.review(app)
        waking.stored(app)
    }

    /// Any client's rights may have changed: clients with open calls are reviewed first, then the parts that only show
    /// the state.
    private func everythingChanged() {
        clients.identifyOpen { location.concerns($0) }
        location.reviewPositions(of: clients.sessions)
        regions.reviewAll()
        location.eraseWithdrawnVisits()
        location.reportAuthorization(to: clients.sessions)
        recordings.reviewAll()
        agents.review()
        wakes.reviewAll()
        waking.review()
        waker.review()
        uploads.review()
        journalService.endChanged()
        manage?.review()
        changed()
    }

    /// Restores the recordings before the decisions, and both before any client receives a position because of them. A
    /// thread loads the journal, so this is always after `start`.
    private func load(_ authorization: LoadedAuthorization, _ stored: LoadedRecordings) {
        switch authorization.loss?.reason {
        // The daemon ends, or another one owns the directory. Nothing was read, so that a call which waits must not be
        // performed and confirmed as if nothing were stored.
        case .closed, .inUse: return
        default: break
        }
        let state = authorization.state
        // Before the recordings, so that none is stored with a lesser class than its own.
        protection.load()
        regions.protectionChanged()
        accountRetention.note(state.grants.keys.map(\.uid))
        accountRetention.note(StoredTracking.read(state.values).grants.keys.map(\.uid))
        accountRetention.note(state.prompts.map(\.app.uid))
        accountRetention.note(stored.recordings.map(\.key.app.uid))
        accountRetention.note(VisitBooks.users(ofStored: state.values))
        accountRetention.note(WakeRegistry.users(ofStored: state.values))
        identities.load(state.values)
        let known = stored.loss == nil ? Set(stored.recordings.map { UploadKey($0.key) }) : nil
        uploads.restore(state.values, recordings: known)
        recordings.load(stored)
        clients.suspensions = accountRetention.load(authorization)
        prompts.load(state)
        visits.restore(state.values)
        ledger.restore(state.values[PositionLedger.savedName])
        let left = continuation.load()
        users.lock(left.screens)
        seats.start(afterReported: left.screens.reported)
        wakes.restore(state.values)
        authorizer.load(authorization, suspended: Set(clients.suspensions.keys), continuing: left.apps)
        wakes.begin()
        waking.loaded()
        pipeline.decisionsAreKnown()
        isLoaded = true
        // The journal may have been blocked before, and reports no other state then.
        openStateDirectory()
    }

    /// Records that a host changed for each app that watches it.
    private func record(_ target: TargetReachability, of host: WatchedHost) {
        let connections = host.monitors.values.map(\.connection)
        // Directly after the start, no client is identified yet.
        readiness.whenReady(for: host.key.uid) { [clients, clientRecorder] in
            let apps = Set(connections.filter(\.isOpen).compactMap { clients.identity(of: $0).app })
            for app in apps { clientRecorder.record(Event(target, app: app)) }
        }
    }
}
