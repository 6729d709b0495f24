import Interfaces
import Journal
import Varlink

// What the parts ask each other, and which interface each serves. What they report to each other is in Daemon+Changes.swift.

extension Daemon {
    func connectParts(_ service: Service) throws {
        let manage = ManageService(
            authorizer: authorizer, reduced: reduced, accounts: accountRetention, report: report, stream: statusStream,
            reload: { [weak self] in self?.reload($0) }, refresh: { [journal] in journal.refresh($0) })
        self.manage = manage
        server.share = { [authorizer, accounts] peer in
            if peer.userID == 0 { return .root }
            if authorizer.operators.isOperator(peer) { return .operator(peer.userID) }
            return accounts.hasAccount(peer.userID) ? .account(peer.userID) : .unaccounted
        }
        reachability.limitUser = { [accounts] uid in accounts.limitUser(uid) }
        authorizer.limitUser = { [accounts] uid in accounts.limitUser(uid) }
        accounts.isImportant = { [accountRetention] uid in accountRetention.book[uid]?.name != nil }
        accountRetention.recordings = recordings
        uploads.backlog = { [recordings] in
            recordings.recording(RecordingKey($0)).map { UploadsService.Backlog($0.stored) }
        }
        let calls = Dispatcher(service: service, authorizer: authorizer)
        try calls.register(LocationInterface.self) { [location] in LocationInterface.perform($0, by: location) }
        try calls.register(ManageInterface.self) { ManageInterface.perform($0, by: manage) }
        try calls.register(AgentInterface.self) { [agents] in agents.handle($0) }
        try calls.register(JournalInterface.self) { [journalService] in
            JournalInterface.perform($0, by: journalService)
        }
        try calls.register(RecordingInterface.self) { [recording] in RecordingInterface.perform($0, by: recording) }
        try calls.register(ReachabilityInterface.self) { [reachability] in reachability.handle($0) }
        try calls.register(UploadsInterface.self) { [uploads] in UploadsInterface.perform($0, by: uploads) }
    }

    func connectNetwork() {
        network.listener = NetworkWatch.Listener(
            path: { [reachability] in reachability.notify($0) },
            target: { [reachability] in reachability.notify($0, $1) },
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
