import Interfaces
import Journal
import Varlink

// What the parts ask each other, and which interface each serves. What they report to each other is in Daemon+Changes.swift.

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
        accounts.isImportant = { [accountKeeper] uid in accountKeeper.book[uid]?.name != nil }
        accountKeeper.recordings = recordings
        report.refusedByOperators = { [manage, journalService, agents, reachability, uploads, recording] in
            manage.refused + journalService.refused + agents.refused + reachability.refused + uploads.refused
                + recording.refused
        }
        uploads.backlog = { [recordings] in
            recordings.recording(RecordingKey($0)).map { UploadsService.Backlog($0.stored) }
        }
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
    }
}
