import Authorization
import Configuration
import Journal
import Location
import Manifests
import Platform
import Varlink

/// Decides for every client what it may have: owns the policy, turns what happens into its events and performs its
/// effects.
///
/// Nothing counts before what was decided earlier has been read from the journal: until then nobody but operators
/// gets anything, and who may be an app's waits, see `whenReady`.
@DaemonActor
final class Authorizer {

    /// Says, of what was stored and before anybody has anything by it, who is suspended from the beginning and why.
    var suspensionsAtStart: (@DaemonActor (LoadedAuthorization) -> [UInt32: String])?

    /// Whether a user's own manifests count although no program of theirs runs.
    var isUserNeeded: @DaemonActor (UInt32) -> Bool = { _ in false }

    let changes: Changes
    let recorder: EventRecorder
    let clock: any TimeSource
    let ledger: PositionLedger
    let library: ManifestLibrary
    let programs: ProgramInspector
    let users = UserStates()
    /// Who may run the daemon.
    var operators: OperatorPolicy
    /// The programs that may be agents.
    var agentPrograms: AgentPrograms

    /// Keeps what goes on over a restart; nil where nothing does.
    var continuation: ContinuationStore?
    var policy = Policy(manifests: ManifestCatalogue())
    /// Whether what was decided earlier is known.
    private(set) var isLoaded = false
    /// Why some or all of it could not be read; nobody has anything by it.
    private(set) var loss: String?

    var processes: [Policy.ProcessID: ClientProcess] = [:]
    var processesByKey: [ClientKey: ClientProcess] = [:]
    var apps: [AppID: ClientApp] = [:]
    var sessions: [ObjectIdentifier: ClientSession] = [:]
    /// The user to whose limits a user's programs count: one for all user ids without an account.
    var limitUser: @DaemonActor (UInt32) -> UInt32 = { $0 }
    /// Processes without a connection, by the user to whose limits they count, the oldest first.
    var idle: [UInt32: [Policy.ProcessID]] = [:]
    var freezes: FreezeWatches?
    /// What each user with processes does, as the policy was told, and how many processes that are.
    var watchedUsers: [UInt32: (state: UserState, processes: Int)] = [:]

    /// The users who are at the machine in person, as the policy was told.
    var presentUsers: Set<UInt32> = []
    /// Who decides for the apps that users' own manifests name.
    var personalManifests: PersonalManifestsMode

    var requests: [Policy.RequestID: @DaemonActor (Policy.Reply) -> Void] = [:]
    var agents: [Policy.AgentID: AgentHandlers] = [:]
    var holds: [Policy.HoldID: OpenHold] = [:]
    var raisedAt: [UInt64: UTCTime] = [:]
    private var lastNumber: UInt64 = 0
    /// How many events each app may cause, and what was left out.
    var notes = NoteAllowance()
    /// How often each app may have its person asked.
    var prompting = Allowance<AppID>(Authorizer.mostPromptsAtOnce, every: Authorizer.promptInterval)
    /// How often each account may have its person asked for all of its apps together.
    var promptingOfAccount = Allowance<UInt32>(
        Authorizer.mostPromptsOfAccount, every: Authorizer.promptIntervalOfAccount)
    /// Tells of the events that were left out.
    var noteTimer: TimerSource?

    /// Why nothing that is stored of some users is used.
    var suspensions: [UInt32: String] = [:]
    /// Counts up with every change of these.
    var suspensionChanges: UInt64 = 0

    private var effects: [Policy.Effect] = []
    private var isPerforming = false
    private var timer: TimerSource?
    private var waiting: [(uid: UInt32, need: Need, body: @DaemonActor () -> Void)] = []

    /// Reads manifests and restrictions; nobody gets anything before `load`. `inspector` is the socket of who looks where the
    /// daemon may not.
    init(
        settings: Settings.Authorization, operators: OperatorPolicy, recorder: EventRecorder, ledger: PositionLedger,
        changes: Changes, clock: any TimeSource, inspector: String? = nil, texts: TextFile = TextFile(directory: nil)
    ) throws(SystemError) {
        self.changes = changes
        self.ledger = ledger
        self.recorder = recorder
        self.clock = clock
        self.operators = operators
        agentPrograms = AgentPrograms(settings.agents)
        library = ManifestLibrary(settings, inspector: inspector, texts: texts)
        programs = try ProgramInspector(socket: inspector)
        minimumAssurance = settings.minimumAssurance
        personalManifests = settings.personalManifests
        timer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.send(.timePassed) }
        noteTimer = try TimerSource(accuracy: .seconds(1)) { [weak self] in self?.reportMissing() }
        freezes = FreezeWatches { [weak self] in self?.send(.froze($0, isFrozen: $1)) }
        library.onManifests = { [weak self] in self?.manifestsChanged() }
        library.onRestrictions = { [weak self] in self?.restrictionsChanged() }
        library.onHome = { [changes] in changes.report(.homeExamined($0)) }
        library.onReady = { [weak self] in self?.runWaiting() }
        programs.onSettled = { [weak self] in
            guard let self else { return }
            changes.report(.everythingChanged)
            runWaiting()
        }
        users.onChange = { [weak self] in self?.refreshUsers() }
    }

    private var minimumAssurance: Assurance

    /// Takes what the journal has stored, and begins to decide.
    func load(_ loaded: LoadedAuthorization) {
        if let error = loaded.loss {
            loss = error.description
            Log.error("what was granted could not all be read, and is not in force: \(error)")
        }
        let state = loaded.state
        suspensions = suspensionsAtStart?(loaded) ?? [:]
        policy = Policy(
            restoring: state.grants, prompts: state.prompts, lastPrompt: state.lastPrompt,
            areServicesOn: state.areServicesOn, manifests: library.catalogue.manifests,
            restrictions: library.restrictions.restrictions, minimumAssurance: minimumAssurance,
            suspendedUsers: Set(suspensions.keys))
        for prompt in state.prompts { raisedAt[prompt.id] = state.raisedAt[prompt.id] ?? instant.utc }
        isLoaded = true
        ledger.restore(state.values[PositionLedger.savedName])
        let continuation = continuation?.load()
        users.lock(continuation?.locked ?? [])
        perform(policy.start(at: instant, continuing: continuation?.apps ?? [:]))
        changes.report(.authorizationLoaded)
        for uid in Set(state.grants.keys.map(\.uid)) { library.want(uid) }
        changes.report(.everythingChanged)
        runWaiting()
    }

    /// Takes new settings.
    func apply(_ settings: Settings.Authorization, operators: OperatorPolicy) {
        self.operators = operators
        agentPrograms = AgentPrograms(settings.agents)
        for session in sessions.values {
            guard let peer = session.connection?.peer else { continue }
            session.isOperatorsUser = isOperatorsUser(peer)
        }
        library.apply(settings)
        personalManifests = settings.personalManifests
        refreshUsers()
        minimumAssurance = settings.minimumAssurance
        send(.minimumAssuranceChanged(minimumAssurance))
        changes.report(.everythingChanged)
    }

    /// What the policy takes for now.
    var instant: Policy.Instant {
        Policy.Instant(
            monotonicNanoseconds: clock.monotonicNanoseconds, utc: UTCTime(microseconds: clock.utcMicroseconds))
    }

    /// A number that was never given before.
    func newNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // When everything is known

    /// What has to be known.
    enum Need {
        /// Which app a program is, and what was decided for it.
        case everything
        /// Whether a program is an operator's, which has to be known also where the journal cannot be read.
        case operators
    }

    /// Runs the body at once where everything is known by which this user's programs are judged, or as soon as it is.
    ///
    /// Where too many wait a further one is judged by what is known, which is nothing before `load`.
    func whenReady(for uid: UInt32, _ need: Need = .everything, _ body: @escaping @DaemonActor () -> Void) {
        guard !isReady(for: uid, need), waiting.count < Self.mostWaiting else { return body() }
        waiting.append((uid, need, body))
        library.forgetUsers { uid in
            watchedUsers[uid] != nil || isUserNeeded(uid) || sessions.values.contains { $0.userID == uid }
        }
        library.want(uid)
    }

    /// As many as there may be connections.
    private static let mostWaiting = 16_384

    private func isReady(for uid: UInt32, _ need: Need) -> Bool {
        // An app that is known by its program alone is an operator's as well.
        library.isReady(for: uid) && (need == .operators || isLoaded && programs.isSettled)
    }

    private func runWaiting() {
        let ready = waiting.filter { isReady(for: $0.uid, $0.need) }
        if !ready.isEmpty {
            waiting.removeAll { isReady(for: $0.uid, $0.need) }
            for waiter in ready { waiter.body() }
        }
        if isLoaded, waiting.isEmpty { changes.report(.everyProgramKnown) }
    }

    // Events and effects

    /// Tells the policy what happened, and performs what it wants done. Returns that, of what is done already or done
    /// soon: one that comes of another is performed after it, so that what is stored keeps its order.
    @discardableResult
    func send(_ event: Policy.Event) -> [Policy.Effect] {
        guard isLoaded else { return [] }
        let effects = policy.handle(event, at: instant)
        perform(effects)
        return effects
    }

    private func perform(_ new: [Policy.Effect]) {
        effects += new
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !effects.isEmpty {
            let now = effects
            effects = []
            for effect in now { perform(effect) }
        }
    }

    private func perform(_ effect: Policy.Effect) {
        switch effect {
        case .reply(let id, let reply): requests.removeValue(forKey: id)?(reply)
        case .show(let prompt, let agent): agents[agent]?.onPrompt(prompt)
        case .withdraw(let prompt):
            for agent in agents.values where agent.uid == prompt.app.uid { agent.onWithdrawn(prompt.id) }
        case .persist(let token, let records): store(records, token)
        case .note(let record): note(record)
        case .authorizationChanged(let app, let authorizationState):
            apps[app]?.authorizationState = authorizationState
            changes.report(.authorizationChanged(app))
        case .paused(let app, _): changes.report(.accessChanged(app))
        case .resumed(let app): changes.report(.accessChanged(app))
        case .holdRefused(let hold): holds.removeValue(forKey: hold)?.onEnd()
        case .notAttached: break
        case .identifyAgain(let process): identifyAgain(process)
        case .keepContinuing: continuation?.keep(policy.continuing)
        case .arm(let deadline):
            if let deadline { timer?.arm(at: deadline) } else { timer?.disarm() }
        }
    }

    private func store(_ records: [Policy.Record], _ token: Policy.Token) {
        for record in records {
            switch record.change {
            case .prompt(let prompt):
                raisedAt[prompt.id] = instant.utc
                countPrompt(prompt.app)
            case .promptEnded(let id): raisedAt[id] = nil
            case .services(isOn: false):
                changes.report(.servicesTurnedOff)
                continue
            default: continue
            }
            changes.report(.statusChanged)
        }
        // To whom it belongs is stored before it.
        for uid in Set(records.compactMap { $0.change == nil ? nil : $0.app?.uid }) {
            changes.report(.userSeen(uid, stores: true))
        }
        recorder.store(records) { [weak self] result in
            switch result {
            case .success: self?.send(.persisted(token))
            case .failure(let error):
                Log.error("what was decided could not be stored: \(error)")
                self?.send(.notPersisted(token))
            }
        }
        for record in records {
            guard case .grant(let grant)? = record.change, let app = record.app else { continue }
            continuation?.decided(app, grant)
            changes.report(.grantChanged(app))
        }
    }

    private func note(_ record: Policy.Record) {
        let event = Event(record)
        guard let app = record.app else { return recorder.record(event) }
        recordBounded(event)
        switch record.kind {
        case .appInUse, .appLeftUse:
            apps[app]?.isInUse = policy.isInUse(app)
            changes.report(.authorizationChanged(app))
        case .holdBegan, .holdEnded: reportHolds(of: app.uid)
        default: break
        }
    }

    // What is known changes

    private func manifestsChanged() {
        refreshFitted()
        send(.manifestsChanged(library.catalogue.manifests))
        identifyMoved()
        changes.report(.everythingChanged)
    }

    private func restrictionsChanged() {
        refreshFitted()
        send(.restrictionsChanged(library.restrictions.restrictions))
        // What they forbid to recordings alone is told to no app.
        changes.report(.everythingChanged)
    }
}
