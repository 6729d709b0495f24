import Location

/// All rules of authorization, and the gate that decides about every delivery.
///
/// A pure state machine: it receives events with their time and returns effects. A decision that gives an app more rights takes effect
/// once it is durable; one that takes rights away takes effect at once.
public struct Policy: Sendable {
    /// How long an app has to be out of use before an authorization for once ends, in nanoseconds.
    public static let onceLapseNanoseconds: UInt64 = 10_000_000_000
    /// How long a prompt is shown, in nanoseconds.
    public static let promptNanoseconds: UInt64 = 120_000_000_000

    /// The intermediate results of handling one event.
    struct Batch {
        var now: Instant
        var effects: [Effect] = []
        var records: [Record] = []
        var touched: Set<AppID> = []
        var changesContinuing = false
        /// Whether the daemon is being started. The state found then counts as having existed before.
        var isStart = false
    }

    /// Whether location services are on.
    var services: Ledger<Bool>
    /// The installed manifests.
    public internal(set) var manifests: ManifestCatalogue
    /// Root's restrictions.
    public internal(set) var restrictions: Restrictions
    var minimumAssurance: Assurance
    var apps: [AppID: AppState] = [:]
    var processes: [ProcessID: ProcessState] = [:]
    var holders: [HoldID: ProcessID] = [:]
    var users: [UInt32: UserState] = [:]
    /// The users whose stored data is not used, because their accounts were removed or changed. Their apps are refused
    /// everything.
    public internal(set) var suspendedUsers: Set<UInt32>
    /// The users who are present at the machine. Only these are asked about apps of their own manifests.
    var presentUsers: Set<UInt32> = []
    var agents: [AgentID: UInt32] = [:]
    var promptApps: [UInt64: AppID] = [:]
    /// When shown prompts are dismissed, in nanoseconds of CLOCK_MONOTONIC.
    var promptDeadlines: [UInt64: UInt64] = [:]
    /// The apps whose authorization for once has a deadline.
    var lapsing: Set<AppID> = []
    /// The apps with rights from before a restart.
    var returning: Set<AppID> = []
    /// What is stored of apps for the next process of the daemon. It changes only with events.
    public private(set) var continuing: [AppID: Continuation] = [:]
    /// The apps with changes that are not durable yet.
    var awaiting: [Token: Set<AppID>] = [:]
    var replies: [Token: [(RequestID, ReplySubject)]] = [:]
    var armed: UInt64?
    var nextPrompt: UInt64
    /// The token of the current event.
    var token: Token = 1
    var batch = Batch(now: Instant(monotonicNanoseconds: 0, utc: UTCTime(microseconds: 0)))

    /// The policy in its state before a restart, with the present manifests and restrictions. Call `start` next.
    /// - Parameter lastPrompt: the highest number that a prompt ever had.
    public init(
        restoring grants: [AppID: Grant] = [:], tracking: [AppID: TrackingGrant] = [:], prompts: [Prompt] = [],
        lastPrompt: UInt64 = 0,
        areServicesOn: Bool = true, manifests: ManifestCatalogue,
        restrictions: Restrictions = Restrictions(),
        minimumAssurance: Assurance = .program, suspendedUsers: Set<UInt32> = []
    ) {
        self.suspendedUsers = suspendedUsers
        services = Ledger(durable: areServicesOn)
        self.manifests = manifests
        self.restrictions = restrictions
        self.minimumAssurance = minimumAssurance
        nextPrompt = max(lastPrompt, prompts.map(\.id).max() ?? 0) + 1
        for (app, grant) in grants {
            remember(app)
            apps[app]?.decisions = Ledger(durable: grant)
            apps[app]?.wasAskedAlways = grant.wasAskedAlways
        }
        for (app, grant) in tracking {
            remember(app)
            apps[app]?.tracking = Ledger(durable: grant)
        }
        for prompt in prompts where apps[prompt.app]?.openPrompts[prompt.kind.subject] == nil {
            remember(prompt.app)
            apps[prompt.app]?.openPrompts[prompt.kind.subject] = AppState.OpenPrompt(prompt: prompt)
            promptApps[prompt.id] = prompt.app
        }
    }

    /// Handles the start. Grants under another binding have ended, and so have authorizations for once that do not
    /// continue. `continuing` was stored within this boot. For an app that was in use, `outOfUseSince` is the time when
    /// the earlier process was last active.
    public mutating func start(at now: Instant, continuing: [AppID: Continuation] = [:]) -> [Effect] {
        batch = Batch(now: now)
        batch.isStart = true
        for app in Array(apps.keys) {
            checkBinding(of: app)
            if let continuation = continuing[app] { awaitReturn(of: app, continuation) }
            if apps[app]?.awaitsReturn != true { apply(.restarted, to: app, by: .rule) }
            batch.touched.insert(app)
        }
        return finish()
    }

    /// Handles an event and returns the effects.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        batch = Batch(now: now)
        lapse()
        switch event {
        case .requested(let id, let request, let process): self.request(id, request, by: process)
        case .answered(let id, let prompt, let choice, let precise, let answerer):
            answer(id, prompt, choice, precise: precise, by: answerer)
        case .dismissed(let prompt, let answerer): dismiss(prompt, by: answerer)
        case .commanded(let id, let command, let uid): perform(command, id, by: uid)
        case .persisted(let token): persisted(token)
        case .notPersisted(let token): notPersisted(token)
        case .attached(let process): attach(process)
        case .fitted(let process, let names): fit(process, names)
        case .wentOn(let process): goOn(process)
        case .exited(let process): detach(process)
        case .declared(let process, let activity): change(process) { $0.activity = activity }
        case .froze(let process, let isFrozen): change(process) { $0.isFrozen = isFrozen }
        case .holdBegan(let hold, let process): beginHold(hold, by: process, isResumed: false)
        case .holdResumed(let hold, let process): beginHold(hold, by: process, isResumed: true)
        case .holdEnded(let hold): endHold(hold)
        case .userChanged(let uid, let state): changeUser(uid, to: state)
        case .presenceChanged(let uid, let isPresent): changePresence(of: uid, isPresent)
        case .suspensionChanged(let uid, let isSuspended): changeSuspension(of: uid, isSuspended)
        case .accountErased(let uid, let decider): erase(uid, by: decider)
        case .positionDue(let app): positionDue(to: app)
        case .agentRegistered(let agent, let uid): register(agent, of: uid)
        case .agentUnregistered(let agent): unregister(agent)
        case .manifestsChanged(let manifests): replaceManifests(manifests)
        case .restrictionsChanged(let restrictions): replaceRestrictions(restrictions)
        case .minimumAssuranceChanged(let assurance): require(assurance)
        case .timePassed: break
        }
        return finish()
    }

    /// Updates what is stored of an app for the next process of the daemon.
    mutating func keepOn(_ app: AppID) {
        let continuation = continuation(of: app)
        guard continuation != continuing[app] else { return }
        continuing[app] = continuation
        batch.changesContinuing = true
    }

    /// The known apps with their grants.
    public var grants: [AppID: Grant] { apps.mapValues(\.grant) }

    /// The apps with a stored decision, about positions or tracking.
    public var decidedApps: Set<AppID> {
        Set(apps.lazy.filter { $0.value.grant != Grant() || $0.value.tracking.decided != TrackingGrant() }.map(\.key))
    }

    /// The unanswered prompts, in the order in which they were raised.
    public var prompts: [Prompt] {
        apps.values.flatMap { $0.openPrompts.values.map(\.prompt) }.sorted { $0.id < $1.id }
    }

    /// Whether an agent shows a prompt; otherwise it is only listed.
    public func isShown(_ prompt: Prompt) -> Bool {
        guard let open = apps[prompt.app]?.openPrompts[prompt.kind.subject], open.prompt.id == prompt.id else {
            return false
        }
        return open.isShown
    }

    /// The unanswered prompt of an app about a subject.
    public func openPrompt(of app: AppID, about subject: Prompt.Subject) -> Prompt? {
        apps[app]?.openPrompts[subject]?.prompt
    }

    /// The unanswered prompt with this number.
    func openPrompt(_ number: UInt64) -> Prompt? {
        promptApps[number].flatMap { apps[$0]?.openPrompts.values.first { $0.prompt.id == number }?.prompt }
    }

    /// The app of a process; nil if it is unknown.
    public func app(of process: ProcessID) -> AppID? { processes[process]?.process.app }

    /// The grant of an app.
    public func grant(of app: AppID) -> Grant { apps[app]?.grant ?? Grant() }

    /// The last transaction with a decision about an app of a user that may still become durable.
    public func awaited(of uid: UInt32) -> Token? {
        apps.lazy.filter { $0.key.uid == uid }.compactMap(\.value.awaited).max()
    }

    /// Whether location services are on; a change counts once it is durable.
    public var areServicesOn: Bool { services.inForce }

    /// Whether an app is in use.
    public func isInUse(_ app: AppID) -> Bool { apps[app]?.isInUse ?? false }
}
