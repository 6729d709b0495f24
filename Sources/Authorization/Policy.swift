import Location

/// Who may have positions: all rules of authorization, and the gate that every delivery asks.
///
/// It takes what happened and when, and returns what is to be done. A widening counts only once it is durable, a
/// narrowing at once.
public struct Policy: Sendable {
    /// How long an app has to be out of use before what was allowed once ends, in nanoseconds.
    public static let onceLapseNanoseconds: UInt64 = 10_000_000_000
    /// How long a prompt waits for its answer, in nanoseconds.
    public static let promptNanoseconds: UInt64 = 120_000_000_000

    /// What is gathered while an event is handled.
    struct Turn {
        var now: Instant
        var effects: [Effect] = []
        var records: [Record] = []
        var touched: Set<AppID> = []
        var changesContinuing = false
        /// Whether it is the start: what is so then was so before, too.
        var isStart = false
    }

    /// Whether location services are on.
    var services: Ledger<Bool>
    /// The manifests there are.
    public internal(set) var manifests: ManifestCatalogue
    var restrictions: Restrictions
    var minimumAssurance: Assurance
    var apps: [AppID: AppState] = [:]
    var processes: [ProcessID: ProcessState] = [:]
    var holders: [HoldID: ProcessID] = [:]
    var users: [UInt32: UserState] = [:]
    /// The users of whom nothing that is stored is used, as their accounts were removed or changed. Their apps have nothing.
    public internal(set) var suspendedUsers: Set<UInt32>
    /// The users who are at the machine in person: only they are asked about apps that their own manifests name.
    var presentUsers: Set<UInt32> = []
    var agents: [AgentID: UInt32] = [:]
    var promptApps: [UInt64: AppID] = [:]
    /// When shown prompts are dismissed, in nanoseconds of CLOCK_MONOTONIC.
    var promptDeadlines: [UInt64: UInt64] = [:]
    /// The apps whose grant for once is about to end.
    var lapsing: Set<AppID> = []
    /// The apps of which something may go on of before a restart.
    var returning: Set<AppID> = []
    /// What is to be kept of apps for the next process of the daemon; it changes with events only.
    public private(set) var continuing: [AppID: Continuation] = [:]
    /// The apps of which something is to become durable.
    var awaiting: [Token: Set<AppID>] = [:]
    var replies: [Token: [(RequestID, AppID?)]] = [:]
    var armed: UInt64?
    var nextPrompt: UInt64
    /// The token of the event at hand.
    var token: Token = 1
    var turn = Turn(now: Instant(monotonicNanoseconds: 0, utc: UTCTime(microseconds: 0)))

    /// A policy as it was before a restart, with the manifests and restrictions there are now. Call `start` next.
    /// - Parameter lastPrompt: the highest number that a prompt ever had.
    public init(
        restoring grants: [AppID: Grant] = [:], prompts: [Prompt] = [], lastPrompt: UInt64 = 0,
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
        for prompt in prompts where apps[prompt.app]?.openPrompt == nil {
            remember(prompt.app)
            apps[prompt.app]?.openPrompt = AppState.OpenPrompt(prompt: prompt)
            promptApps[prompt.id] = prompt.app
        }
    }

    /// What is to be done at the start: what another binding was allowed has ended, and so has what was allowed once, but
    /// where it may go on. All that is `continuing` was kept within this boot, and says since when an app was out of use:
    /// since the earlier process was heard of last, where it was in use then.
    public mutating func start(at now: Instant, continuing: [AppID: Continuation] = [:]) -> [Effect] {
        turn = Turn(now: now)
        turn.isStart = true
        for app in Array(apps.keys) {
            checkBinding(of: app)
            if let continuation = continuing[app] { awaitReturn(of: app, continuation) }
            if apps[app]?.awaitsReturn != true { apply(.restarted, to: app, by: .rule) }
            turn.touched.insert(app)
        }
        return finish()
    }

    /// What is to be done about an event.
    public mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        turn = Turn(now: now)
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

    /// Notes what is to be kept of an app.
    mutating func keepOn(_ app: AppID) {
        let continuation = continuation(of: app)
        guard continuation != continuing[app] else { return }
        continuing[app] = continuation
        turn.changesContinuing = true
    }

    /// The apps that are known, with what is stored of them.
    public var grants: [AppID: Grant] { apps.mapValues(\.grant) }

    /// The prompts that nobody has answered, in the order in which they were raised.
    public var prompts: [Prompt] {
        apps.values.compactMap { $0.openPrompt?.prompt }.sorted { $0.id < $1.id }
    }

    /// Whether an agent shows a prompt; otherwise it is only listed.
    public func isShown(_ prompt: Prompt) -> Bool {
        guard let open = apps[prompt.app]?.openPrompt, open.prompt.id == prompt.id else { return false }
        return open.isShown
    }

    /// The prompt of an app that nobody has answered.
    public func openPrompt(of app: AppID) -> Prompt? { apps[app]?.openPrompt?.prompt }

    /// Of which app a process is, where it is known.
    public func app(of process: ProcessID) -> AppID? { processes[process]?.process.app }

    /// What is stored of an app.
    public func grant(of app: AppID) -> Grant { apps[app]?.grant ?? Grant() }

    /// Whether location services are on, and durably so.
    public var areServicesOn: Bool { services.inForce }

    /// Whether an app is in use.
    public func isInUse(_ app: AppID) -> Bool { apps[app]?.isInUse ?? false }
}
