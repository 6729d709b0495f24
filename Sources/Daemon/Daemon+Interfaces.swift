import Interfaces
import Varlink

// Registers the part that serves each interface.

extension Daemon {
    func register(with service: Service, _ apps: AppDirectory) throws {
        let manage = ManageService(
            authorizer: authorizer, clients: clients, prompts: prompts, users: users, readiness: readiness, apps: apps,
            recorder: recorder, reduced: reduced, accounts: accountRetention, identities: identities,
            report: report, stream: statusStream,
            configuration: configuration, journal: journal)
        self.manage = manage
        server.sharing = clients
        userData.recordings = recordings
        userData.regions = regions
        userData.wakes = wakes
        userData.identities = identities
        readiness.wakes = wakes
        let pace = try DurablePace(accounts: accounts, clock: clock)
        let calls = Dispatcher(service: service, clients: clients, readiness: readiness, pace: pace)
        try calls.register(LocationInterface.self) { [location] in LocationInterface.perform($0, by: location) }
        try calls.register(ManageInterface.self) { ManageInterface.perform($0, by: manage) }
        try calls.register(AgentInterface.self) { [agents] in agents.handle($0) }
        try calls.register(JournalInterface.self) { [journalService] in
            JournalInterface.perform($0, by: journalService)
        }
        try calls.register(RecordingInterface.self) { [recording] in RecordingInterface.perform($0, by: recording) }
        try calls.register(ReachabilityInterface.self) { [reachability] in reachability.handle($0) }
        try calls.register(UploadsInterface.self) { [uploads] in UploadsInterface.perform($0, by: uploads) }
        try calls.register(WakingInterface.self) { [waking] in WakingInterface.perform($0, by: waking) }
        try calls.register(WakerInterface.self) { [waker] in waker.handle($0) }
        try calls.register(IdentityInterface.self) { [identity] in IdentityInterface.perform($0, by: identity) }
        try calls.register(ProtectionInterface.self) { [protectionService] in
            ProtectionInterface.perform($0, by: protectionService)
        }
        try calls.register(RegionsInterface.self) { [region] in RegionsInterface.perform($0, by: region) }
    }
}
