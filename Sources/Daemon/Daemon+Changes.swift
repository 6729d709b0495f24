import Interfaces
import Journal
import NetworkPaths
import Platform
import Varlink

// Who hears of a change, in which order. The order is part of what keeps positions from those who may not have them:
// streams come before recordings, and both before whatever only shows how things stand.

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

        case .authorizationLoaded: accountRetention.loaded()
        case .everyProgramKnown: pipeline.goOn()
        case .authorizationChanged(let app):
            location.authorizationChanged(of: app)
            recordings.review(app)
        case .grantChanged(let app): recordings.grantChanged(of: app)
        case .accessChanged(let app):
            location.accessChanged(of: app)
            recordings.review(app)
        case .identityChanged(let session):
            location.identityChanged(session)
            recording.identityChanged(session)
            uploads.review()
        case .everythingChanged: everythingChanged()
        case .servicesTurnedOff: pipeline.forgetPast()

        case .accountChanged(let uid):
            server.reviewShares(of: uid)
            accountRetention.changed(uid)
        case .userSeen(let uid, let stores): accountRetention.seen(uid, stores: stores)
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

        case .targetChanged(let host, let target): record(target, of: host)

        case .statusChanged: changed()
        case .statusDetailChanged: statusStream.changed()
        }
    }

    /// Who may have what is not known any more for anybody: those with open calls first, then what only shows it.
    private func everythingChanged() {
        location.everythingChanged()
        recordings.reviewAll()
        agents.review()
        uploads.review()
        journalService.endChanged()
        manage?.review()
        changed()
    }

    /// Whose recordings there are is known before what was decided, and both before anybody has a position by it. It comes
    /// over the loop, and so always after `start`.
    private func load(_ authorization: LoadedAuthorization, _ stored: LoadedRecordings) {
        accountRetention.note(stored.recordings)
        let known = stored.loss == nil ? Set(stored.recordings.map { UploadKey($0.key) }) : nil
        uploads.restore(authorization.state.values, recordings: known)
        recordings.load(stored)
        authorizer.load(authorization)
        pipeline.decisionsAreKnown()
    }

    /// Notes for each app that watches a host that it changed.
    private func record(_ target: TargetReachability, of host: WatchedHost) {
        let connections = host.monitors.values.map(\.connection)
        // Right after the start it is not known yet who is an app.
        authorizer.whenReady(for: host.key.uid) { [authorizer] in
            let apps = Set(connections.filter(\.isOpen).compactMap { authorizer.identity(of: $0).app })
            for app in apps { authorizer.recordBounded(Event(target, app: app)) }
        }
    }
}
