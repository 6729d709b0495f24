import Accounts
import Configuration
import Glibc
import GPSD
import Interfaces
import Journal
import Location
import Manifests
import Platform
import RegionStorage
import Storage
import Tracking
import Varlink

/// The daemon: its parts, and the order in which they start and stop.
@DaemonActor
public final class Daemon {
    let configuration: ConfigurationReload
    let clock: any TimeSource
    let changes = Changes()
    let journal: JournalSupervisor
    let recorder: EventRecorder
    let clientRecorder: ClientRecorder
    let pipeline: Pipeline
    let reduced: ReducedReceiver
    let ledger: PositionLedger
    let library: ManifestLibrary
    let continuation: ContinuationStore
    let authorizer: Authorizer
    let users: UserStates
    let seats: SeatWatch
    let protectionEnd: ProtectionEnd
    let holds: Holds
    let clients: Clients
    let prompts: Prompts
    let readiness: Readiness
    let server: Server
    let accounts: UserAccounts
    let accountRetention: AccountRetention
    let userData: UserData
    /// Nil if there is no service manager with a descriptor store.
    private let handover: Handover?
    let visits: VisitBooks
    let location: LocationService
    let protection: DataProtection
    let userProtections: UserProtections
    let protectionService: ProtectionService
    let recordings: RecordingRegistry
    let recording: RecordingService
    let operatorUsers: OperatorUsers
    let regions: RegionRegistry
    let region: RegionService
    let wakes: WakeRegistry
    let waking: WakingService
    let waker: WakerService
    let wakePositions: WakePositions
    let identities: IdentityRegistry
    let identity: IdentityService
    let agents: AgentService
    let journalService: JournalService
    let uploads: UploadsService
    let network: NetworkWatch
    let reachability: ReachabilityService
    let report: StatusReport
    let statusStream: StatusStream
    var manage: ManageService?
    /// Whether the journal's content is known, or that it cannot be read.
    var isLoaded = false
    private var signals: [SignalSource] = []
    private var clockChange: ClockChangeSource?
    private var stopTimer: TimerSource?
    /// The path of the socket, if the daemon created it.
    private var boundPath: String?

    /// How long an orderly stop may wait for the disk; the service manager waits longer, see `waymark.service`.
    private static let patienceAtStop = Duration.seconds(10)

    /// Creates the parts and connects them. Nothing is read or answered before `start`.
    ///
    /// `source` provides the configuration for a reload; `configuration` is its present content, without problems.
    /// `inspector` is the socket of a `waymark-inspector`, for a daemon that may not examine other users' processes and
    /// homes.
    public init(
        configuration: Configuration, clock: any TimeSource = SystemClock(), inspector: String? = nil,
        source: any ConfigurationSource
    ) throws {
        self.clock = clock
        let settings = configuration.settings
        let stateDirectory = settings.journal.stateDirectory
        journal = try JournalSupervisor(
            settings: settings.journal, recording: settings.recording,
            machineSecret: MachineSecretSource(
                file: settings.protection.machineSecret,
                credential: CredentialFile.path(MachineSecretSource.credentialName)),
            changes: changes, clock: clock)
        recorder = EventRecorder(journal: journal.journal)
        pipeline = try Pipeline(settings: settings, changes: changes, recorder: recorder, clock: clock)
        reduced = try ReducedReceiver(
            directory: stateDirectory, changes: changes, clock: clock, source: pipeline)
        ledger = try PositionLedger(journal: journal.journal, recorder: recorder, clock: clock)
        accounts = UserAccounts(clock: clock)
        accounts.onChange = { [changes] in changes.report(.accountChanged($0)) }
        clientRecorder = try ClientRecorder(events: recorder, accounts: accounts, clock: clock)
        library = ManifestLibrary(
            settings.authorization, accounts: accounts, inspector: inspector,
            texts: TextFile(directory: stateDirectory), changes: changes)
        continuation = try ContinuationStore(stateDirectory: stateDirectory, changes: changes, clock: clock)
        authorizer = try Authorizer(
            minimumAssurance: settings.authorization.minimumAssurance, library: library, recorder: clientRecorder,
            continuation: continuation, changes: changes, clock: clock)
        users = UserStates(
            personalManifests: settings.authorization.personalManifests, authorizer: authorizer,
            recorder: clientRecorder, continuation: continuation, changes: changes)
        seats = try SeatWatch(changes: changes, clock: clock)
        holds = Holds(authorizer: authorizer, changes: changes)
        let operators = OperatorPolicy(groupName: settings.authorization.operatorGroup)
        let programs = try ProgramInspector(
            socket: inspector, changes: changes, clock: clock, limitUser: { [accounts] in accounts.limitUser($0) })
        clients = Clients(
            library: library, programs: programs, operators: operators, authorizer: authorizer, users: users,
            holds: holds, accounts: accounts, ledger: ledger, changes: changes)
        prompts = Prompts(authorizer: authorizer, users: users, accounts: accounts, clock: clock)
        readiness = Readiness(authorizer: authorizer, clients: clients, users: users, changes: changes)
        userData = UserData(authorizer: authorizer, clients: clients, ledger: ledger)
        accountRetention = try AccountRetention(
            accounts: accounts, authorizer: authorizer, clients: clients, journal: journal.journal, recorder: recorder,
            data: userData, clock: clock, retention: settings.authorization.removedUsersRetention)
        let service = try Service(info: Self.info)
        server = try Server(
            service, limits: Self.limits(settings.socket), tooManyConnections: ErrorName.tooManyConnections.rawValue,
            clock: clock)
        handover = try Handover()
        protection = try DataProtection(
            directory: stateDirectory, journal: journal.journal, recorder: recorder, changes: changes, clock: clock)
        userProtections = UserProtections(protection)
        userProtections.apply(settings.protection)
        seats.apply(examinesConsoles: settings.protection.lockWhenIdle > .zero)
        userData.protections = userProtections
        visits = try VisitBooks(ProtectedValues(protection, journal: journal.journal), changes: changes)
        userData.visits = visits
        location = try LocationService(
            pipeline: pipeline, reduced: reduced, authorizer: authorizer, clients: clients, prompts: prompts,
            holds: holds, visits: visits, clock: clock)
        recordings = RecordingRegistry(
            journal: journal.journal, protections: userProtections, authorizer: authorizer, prompts: prompts,
            readiness: readiness,
            recorder: clientRecorder, ledger: ledger, changes: changes,
            receivers: Receivers(full: pipeline, reduced: reduced))
        recording = RecordingService(registry: recordings, authorizer: authorizer, clients: clients)
        operatorUsers = OperatorUsers(operators, changes: changes)
        regions = try RegionRegistry(
            store: try RegionStore(stateDirectory: stateDirectory, clock: clock),
            key: RegionKey(directory: stateDirectory, protection: protection), authorizer: authorizer, prompts: prompts,
            readiness: readiness, recorder: clientRecorder, operators: operatorUsers,
            pipeline: pipeline, changes: changes)
        regions.apply(settings.regions)
        let copyKeys = CopyKeys(directory: stateDirectory, protection: protection, changes: changes)
        userData.copyKeys = copyKeys
        protectionEnd = try ProtectionEnd(
            userProtections, journal: journal.journal, visits: visits, regions: regions, copies: copyKeys)
        region = RegionService(registry: regions, authorizer: authorizer, clients: clients)
        agents = AgentService(
            programs: AgentPrograms(settings.authorization.agents), authorizer: authorizer, clients: clients,
            prompts: prompts, users: users, holds: holds, recorder: clientRecorder, changes: changes)
        let syncPrograms = SyncPrograms(clients: clients, agents: agents)
        protectionService = ProtectionService(
            protections: userProtections, clients: clients, accounts: accountRetention, journal: journal,
            copies: CopyKeyMonitors(
                keys: copyKeys, protection: protection, programs: syncPrograms, clients: clients))
        journalService = JournalService(
            journal: journal.journal, recorder: recorder, clients: clients, changes: changes)
        uploads = try UploadsService(
            journal: journal.journal, recorder: clientRecorder, clients: clients, recordings: recordings,
            changes: changes, clock: clock)
        recordings.uploads = uploads
        uploads.readers = recording
        network = try NetworkWatch(settings.reachability, changes: changes, clock: clock)
        reachability = ReachabilityService(
            watch: network, operators: operators, accounts: accounts, changes: changes, clock: clock)
        wakes = try WakeRegistry(
            journal: journal.journal, authorizer: authorizer, clients: clients, regions: regions, network: network,
            readiness: readiness, recorder: clientRecorder, changes: changes, clock: clock)
        waking = WakingService(
            registry: wakes, authorizer: authorizer, clients: clients, agents: agents, regions: regions,
            syncPrograms: syncPrograms)
        waker = WakerService(registry: wakes, agents: agents, authorizer: authorizer, changes: changes)
        wakePositions = WakePositions(registry: wakes, pipeline: pipeline)
        location.wakes = wakePositions
        wakes.apply(settings.waking)
        identities = IdentityRegistry(
            journal: journal.journal, authorizer: authorizer, clients: clients, readiness: readiness,
            recorder: clientRecorder, changes: changes)
        identity = IdentityService(
            registry: identities, clients: clients, authorizer: authorizer, prompts: prompts)
        let apps = AppDirectory(authorizer: authorizer, clients: clients, holds: holds, wakes: wakes)
        report = StatusReport(
            StatusReport.Parts(
                pipeline: pipeline, reduced: reduced, server: server, location: location, journal: journal,
                authorizer: authorizer, apps: apps, agents: agents, recordings: recordings, uploads: uploads,
                regions: region, reachability: reachability, protection: protectionService),
            clock: clock)
        report.configuration = configuration.files
        statusStream = try StatusStream(report, clock: clock)
        self.configuration = ConfigurationReload(
            configuration, from: source, recorder: recorder, report: report, changes: changes)
        service.features = FeatureTable(
            pipeline: pipeline, journal: journal, network: network, handover: handover)
        try register(with: service, apps)
        pipeline.sleep?.demand = self
        changes.react = { [weak self] in self?.react(to: $0) }
    }

    private static let info = ServiceInfo(
        vendor: "Waymark", product: "waymarkd", version: WaymarkVersion.text, url: "https://varlink.org",
        protocolNumber: WaymarkVersion.protocolNumber)

    private static func limits(_ socket: Settings.Socket) -> ServerLimits {
        var limits = ServerLimits()
        limits.maximumConnections = socket.maximumConnections
        limits.maximumConnectionsPerUser = socket.maximumConnectionsPerUser
        return limits
    }

    // Start and stop

    /// Starts all parts, in this order; the last step notifies systemd.
    public func start() throws {
        Log.level = configuration.configuration.settings.log.level
        ResourceLimits.raiseOpenFiles()
        try watchSignals()
        try watchClock()
        let handed = try HandedSockets.receive()
        accounts.start()
        clients.programs.start()
        network.start(handed.routing)
        try listen(handed.listeners)
        try takeOver(handed.left)
        try EventLoop.main.feedWatchdog()
        recorder.record(Event(.serviceStarted, details: ["version": .text(WaymarkVersion.text)]))
        ServiceManager.notify(.ready(status: report.publicSummary))
        ResidentMemory.releaseCleanPages()
    }

    /// Stops all parts in the opposite order, and ends the loop, at once if the journal takes too long.
    public func stop(because reason: String) {
        guard stopTimer == nil else { return }
        ServiceManager.notify(.stopping(status: "Stopping: \(reason)."))
        continuation.leave()
        location.sendAllDelayed()
        let receiver = pipeline.stop()
        handover?.receiver = receiver
        server.prepareToLeave()
        // A socket of systemd's remains for the next start.
        if let boundPath { unlink(boundPath) }
        reduced.stop()
        network.stop()
        seats.stop()
        do throws(SystemError) {
            stopTimer = try TimerSource(accuracy: .milliseconds(100)) { [weak self] in
                Log.error("the journal took too long to close: what it had not written is lost")
                self?.leave(code: 1)
            }
            stopTimer?.arm(after: Self.patienceAtStop)
        } catch {
            Log.error("stopping without a time limit: \(error)")
        }
        ledger.write()
        clientRecorder.reportAllMissing()
        recorder.record(Event(.serviceStopped, details: ["reason": .text(reason)]))
        // What was decided is stored before the events and the state that the journal closes with.
        regions.close { [weak self] in
            guard let self else { return }
            journal.close { [weak self] in self?.leave(code: 0) }
        }
    }

    /// Hands the connections over in their present state, and ends the loop.
    private func leave(code: Int32) {
        stopTimer?.cancel()
        handover?.leave(server.openConnections)
        server.stop()
        EventLoop.main.stop(code: code)
    }

    /// Another daemon uses the state directory. This one was started later, so it ends.
    func giveUp(_ error: StorageError) {
        ServiceManager.notify(.stopping(status: "Stopping: \(error)."))
        continuation.giveUp()
        _ = pipeline.stop()
        server.stop()
        reduced.stop()
        network.stop()
        seats.stop()
        EventLoop.main.stop(code: 1)
    }

    private func watchSignals() throws(SystemError) {
        signals = [
            try SignalSource(SIGTERM) { [weak self] in self?.stop(because: "SIGTERM") },
            try SignalSource(SIGINT) { [weak self] in self?.stop(because: "SIGINT") },
            try SignalSource(SIGHUP) { [weak self] in self?.configuration.reload { _ in } },
        ]
    }

    private func watchClock() throws(SystemError) {
        clockChange = try ClockChangeSource(clock: clock) { [recorder, reduced, network, pipeline] change in
            reduced.clockWasSet()
            network.queryAgain()
            if change.suspended > .zero {
                pipeline.machineResumed()
                recorder.record(Event(.machineResumed, details: ["seconds": .real(change.suspended.seconds)]))
            }
            // A correction of the clock by less than half a second, as by time services, is not recorded.
            guard abs(change.moved.seconds) >= 0.5 else { return }
            recorder.record(Event(.clockJumped, details: ["clock": "system", "seconds": .real(change.moved.seconds)]))
        }
    }

    /// Continues the connections of an earlier process. Those of identified clients continue when these are identified
    /// again. Connections of agents, and those that keep an app in use, come before the others.
    private func takeOver(_ handed: [HandedSockets.Named]) throws {
        guard let handover else { return }
        var left = handover.takeOver(handed, into: server)
        if let loss = handover.loss { recorder.record(loss.event) }
        if let receiver = left.receiver.take() { try pipeline.takeOver(receiver) }
        let connections = left.connections
        let identified = connections.filter { !$0.note.isEmpty }
        for connection in identified {
            readiness.whenReady(for: connection.peer.userID) { [clients] in clients.restore(connection) }
        }
        let first = [LocationInterface.Method.holdInUse.rawValue, AgentInterface.Method.register.rawValue]
        let (urgent, others) = connections.reduce(into: ([ServerConnection](), [ServerConnection]())) {
            if let call = $1.restingCall, first.contains(call.method) { $0.0.append($1) } else { $0.1.append($1) }
        }
        for connection in urgent + others {
            if connection.note.isEmpty {
                connection.goOn()
            } else {
                readiness.whenReady(for: connection.peer.userID) { connection.goOn() }
            }
        }
    }

    private func listen(_ handed: [HandedSockets.Named]) throws {
        for socket in handed {
            try server.listen(on: OwnedDescriptor(adopting: socket.number), name: socket.name)
        }
        guard handed.isEmpty else { return }
        let settings = configuration.configuration.settings.socket
        do throws(SystemError) {
            try server.listen(
                on: try UnixSocket.listen(path: settings.path, mode: mode_t(settings.mode)), name: "varlink")
            boundPath = settings.path
        } catch {
            throw StartError.cannotListen(path: settings.path, error)
        }
    }

    // Running

    func journalChanged() {
        openStateDirectory()
        recordings.journalChanged(to: journal.status)
        visits.journalChanged(to: journal.status)
        wakes.journalChanged(to: journal.status)
        changed()
    }

    /// Begins to read and write the other files of the state directory, when the journal has locked the directory or
    /// has failed to. A journal that is blocked has perhaps not locked it, and nothing of an earlier process is known
    /// before the journal's content, so the file of an earlier process would be replaced.
    func openStateDirectory() {
        guard isLoaded, journal.status.state != .opening else { return }
        reduced.open()
        continuation.begin()
        regions.open()
    }

    func changed() {
        statusStream.changed()
        let summary = report.publicSummary
        guard summary != reportedSummary else { return }
        reportedSummary = summary
        ServiceManager.notify(.status(summary))
    }

    private var reportedSummary = ""
}

extension Daemon: OccasionalDemand {
    var occasionalNeeds: [ReceiverPlan.Need] {
        location.occasionalNeeds + regions.receiverNeeds + wakePositions.occasionalNeeds
    }

    var isMoving: Bool { !location.motion.isStationary || location.motion.isInDoubt }
}
