import Interfaces
import Journal
import Varlink

// What the parts tell each other.

extension Daemon {
    func connectParts(_ service: Service) throws {
        let manage = ManageService(
            authorizer: authorizer, reduced: reduced, accounts: accountKeeper, report: report, stream: statusStream,
            reload: { [weak self] in self?.reload($0) }, refresh: { [journal] in journal.refresh($0) })
        self.manage = manage
        server.share = { [authorizer, accounts] peer in
            if peer.userID == 0 { return .root }
            if authorizer.operators.isOperator(peer) { return .operator(peer.userID) }
            return accounts.hasAccount(peer.userID) ? .account(peer.userID) : .unaccounted
        }
        reachability.limitUser = { [accounts] uid in accounts.limitUser(uid) }
        authorizer.limitUser = { [accounts] uid in accounts.limitUser(uid) }
        accounts.onFound = { [server, accountKeeper] uid in
            server.reviewShares(of: uid)
            accountKeeper.changed(uid)
        }
        accounts.isImportant = { [accountKeeper] uid in accountKeeper.book[uid]?.name != nil }
        accountKeeper.recordings = recordings
        report.refusedByOperators = { [manage, journalService, agents, reachability, uploads, recording] in
            manage.refused + journalService.refused + agents.refused + reachability.refused + uploads.refused
                + recording.refused
        }
        report.authorizationLoss = { [authorizer] in authorizer.loss }
        report.authorization = { [authorizer, agents] in authorizer.status(agents: agents.count) }
        authorizer.onPromptsChanged = { [weak self] in self?.changed() }
        agents.onChange = { [weak self] in self?.changed() }
        authorizer.onEverythingChanged = { [weak self] in
            guard let self else { return }
            location.everythingChanged()
            recordings.reviewAll()
            agents.review()
            uploads.review()
            journalService.endChanged()
            manage.review()
            changed()
        }
        report.reducedProblem = { [reduced] in reduced.problem }
        pipeline.onChange = { [weak self] in self?.changed() }
        connectPositions()
        reduced.onChange = { [weak self] in self?.changed() }
        reduced.onLoss = { [recorder] in recorder.record($0.event) }
        journal.onOpen = { [uploads, accountKeeper] loaded, recordings in
            accountKeeper.note(recordings.recordings)
            let known = recordings.loss == nil ? Set(recordings.recordings.map { UploadKey($0.key) }) : nil
            uploads.restore(loaded.state.values, recordings: known)
        }
        // Always after `start`, as it comes over the loop.
        journal.onLoad = { [authorizer, pipeline] in
            authorizer.load($0)
            pipeline.decisionsAreKnown()
        }
        journal.onLoadRecordings = { [recordings] in recordings.load($0) }
        journal.onRecordings = { [recordings] in recordings.stored($0) }
        recordings.onChange = { [statusStream] in statusStream.changed() }
        recordings.onStored = { [recording, uploads] kept in
            recording.stored(kept)
            uploads.recordingChanged(UploadKey(kept.stored.key))
        }
        recordings.onErased = { [uploads] in uploads.recordingErased(UploadKey($0)) }
        uploads.backlog = { [recordings] in
            recordings.recording(RecordingKey($0)).map { UploadsService.Backlog($0.stored) }
        }
        report.recordings = { [recordings] in recordings.status }
        report.uploads = { [uploads] in uploads.status }
        uploads.onChange = { [statusStream] in statusStream.changed() }
        journal.onChange = { [weak self] in self?.journalChanged() }
        journal.onInUse = { [weak self] in self?.giveUp($0) }
        journalService.onSeenPositionsAsked = { [ledger] in ledger.write() }
        journal.onCommit = { [journalService] in journalService.committed($0) }
        try service.register(WaymarkInterface.location.text, requiringMore: LocationService.streaming) {
            [location] in location.handle($0)
        }
        try service.register(WaymarkInterface.manage.text, requiringMore: ["Monitor"]) { manage.handle($0) }
        try service.register(WaymarkInterface.agent.text, requiringMore: AgentService.streaming) {
            [agents] in agents.handle($0)
        }
        try service.register(WaymarkInterface.journal.text) { [journalService] in journalService.handle($0) }
        try service.register(WaymarkInterface.recording.text) { [recording] in recording.handle($0) }
        try service.register(WaymarkInterface.reachability.text, requiringMore: ReachabilityService.streaming) {
            [reachability] in reachability.handle($0)
        }
        try service.register(WaymarkInterface.uploads.text, requiringMore: UploadsService.streaming) {
            [uploads] in uploads.handle($0)
        }
    }

    /// Where positions go, and what decides of it: to whoever listens first, then to what is recorded.
    private func connectPositions() {
        pipeline.onReducibleFix = { [reduced] in reduced.take($0) }
        pipeline.onFirstReport = { [location] in location.deliverFirst($0) }
        pipeline.onFix = { [location, recordings] fix in
            location.deliver(fix)
            recordings.deliver(fix)
        }
        pipeline.onPastFix = { [recordings] in recordings.deliverPast($0) }
        authorizer.onServicesOff = { [pipeline] in pipeline.forgetPast() }
        authorizer.onAllKnown = { [pipeline] in pipeline.goOn() }
        reduced.onReduced = { [location, recordings] fix in
            location.deliver(fix)
            recordings.deliver(fix)
        }
        authorizer.onStandingChanged = { [location, recordings] app in
            location.standingChanged(of: app)
            recordings.review(app)
        }
        authorizer.onGrantChanged = { [recordings] in recordings.grantChanged(of: $0) }
        authorizer.onPaused = { [location, recordings] app, _ in
            location.accessChanged(of: app)
            recordings.review(app)
        }
        authorizer.onResumed = { [location, recordings] app in
            location.accessChanged(of: app)
            recordings.review(app)
        }
        authorizer.onIdentityChanged = { [location, recording, uploads] session in
            location.identityChanged(session)
            recording.identityChanged(session)
            uploads.review()
        }
    }

    func connectNetwork() {
        network.listener = NetworkWatch.Listener(
            path: { [reachability] in reachability.tell($0) }, target: { [reachability] in reachability.tell($0, $1) },
            lookedUp: { [reachability] in reachability.lookedUp($0) },
            record: { [recorder] in recorder.record(Event($0)) },
            settled: { [weak self] in
                guard let self else { return }
                reachability.settled()
                changed()
            },
            mayLookUp: { [reachability] in reachability.mayLookUp(for: $0) },
            share: { [reachability] in reachability.limitUser($0) })
        reachability.onTargetChange = { [authorizer] host, target in
            let connections = host.monitors.values.map(\.connection)
            // Right after the start it is not known yet who is an app.
            authorizer.whenReady(for: host.key.uid) {
                let apps = Set(connections.filter(\.isOpen).compactMap { authorizer.identity(of: $0).app })
                for app in apps { authorizer.recordBounded(Event(target, app: app)) }
            }
        }
        report.network = { [reachability] in reachability.status }
    }
}
