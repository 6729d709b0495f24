import Durations
import NetworkPaths

/// What is known of the network, and who has to be told what and when: events and the time in, effects out.
///
/// The daemon around it opens the sockets and carries out the effects, in their order. All times are nanoseconds of
/// CLOCK_MONOTONIC. The kernel is asked within the calls and nothing of its answers is kept but descriptions of
/// interfaces (`LinkBook`).
public struct ReachabilityState: Sendable {
    /// When the network is looked at.
    enum Schedule: Equatable, Sendable {
        /// With the next announcement.
        case open
        /// Not before this moment, as there was too much: until then the event source wakes nobody.
        case held(until: UInt64)
        /// When the event source has been drained, which is asked for already; at the latest at this moment.
        case draining(until: UInt64)
    }

    /// A host that somebody watches.
    struct WatchedTarget: Sendable {
        var reporter: StateReporter<TargetReachability>
        var watchers = 1
        var doubts: [Gateway: Gateway.Doubt]
        var recheckAt: UInt64?
        /// In which evaluation it was looked at.
        var evaluatedAt: UInt64 = 0
    }

    /// How the network is judged.
    public internal(set) var settings: ReachabilitySettings
    /// How often the network was looked at.
    public internal(set) var evaluations: UInt64 = 0
    /// How often the event source told that the kernel had more to announce than it could hold: once or twice each time.
    public internal(set) var overruns: UInt64 = 0
    /// How often a look was put off, because there had been too many.
    public internal(set) var holds: UInt64 = 0
    /// How many hosts' reports were forgotten because there were too many.
    public var droppedReports: Int { reports.dropped }

    /// Whether somebody is told of the path. Where nobody is, hosts that the path has no part in are looked at before it.
    public var isPathWatched = true
    /// Whether a look stops with `continueEvaluation` where there is something to tell, so that it is told before the rest is looked at.
    public var reportsAtOnce = false

    var links = LinkBook()
    var names = NameBook()
    var reports = TargetReports()
    var nameServers: [HostAddress] = []
    /// Which interfaces are metered, where somebody told, and which ways wait until somebody has.
    var costWait = CostWait()

    var pathReporter: StateReporter<NetworkPath>?
    var pathDoubts: [Gateway: Gateway.Doubt] = [:]
    var pathRecheckAt: UInt64?
    var recordedPath: NetworkPath?
    var watched: [TargetKey: WatchedTarget] = [:]

    /// What was announced since the last look.
    var announced = NetworkEvents()
    var schedule = Schedule.open
    var budget = EvaluationBudget()
    var unanswered = UnansweredSpell()
    /// What the next look may ask at once.
    var scripts: [EvaluationPass.Part: QueryPlan] = [:]
    /// The look that has stopped to have something told.
    var unfinished: EvaluationPass?
    /// When to look again after something was taken away; nil where nothing was since the last look.
    ///
    /// The kernel announces that first, and then takes away silently what hung on it: who asks in between may have been told of
    /// what is gone a moment later, and nothing would bring another look.
    var confirmAt: UInt64?
    /// When `timerFired` was asked for; nil where it was not.
    var armed: UInt64?
    private var watchesAllNeighbours = false

    /// A state that knows nothing yet.
    public init(settings: ReachabilitySettings) {
        self.settings = settings
    }

    /// The path as it was told last; nil before `start`.
    public var path: NetworkPath? {
        guard let pathReporter else { return nil }
        var path = pathReporter.reported
        path.generation = pathReporter.generation
        return path
    }

    /// A watched host as it was told last.
    public func target(_ key: TargetKey) -> TargetReachability? {
        guard let reporter = watched[key]?.reporter else { return nil }
        var target = reporter.reported
        target.generation = reporter.generation
        return target
    }

    /// Adds what follows from where things stand: when to be called, and which neighbours to watch. What is called meanwhile
    /// comes last, so that what comes of it is carried out after everything else: the event source is released at the end.
    mutating func finish(_ effects: [ReachabilityEffect]) -> [ReachabilityEffect] {
        var effects = effects
        let deadline = deadline
        if deadline != armed {
            armed = deadline
            effects.append(armed.map { .arm(at: $0) } ?? .disarm)
        }
        let hasDoubts = !pathDoubts.isEmpty || watched.values.contains { !$0.doubts.isEmpty }
        if hasDoubts != watchesAllNeighbours {
            watchesAllNeighbours = hasDoubts
            effects.append(.watchAllNeighbours(hasDoubts))
        }
        if effects.contains(.releaseEvents) {
            effects.removeAll { $0 == .releaseEvents }
            effects.append(.releaseEvents)
        }
        return effects
    }

    /// When `timerFired` is to be called.
    private var deadline: UInt64? {
        var earliest = UInt64.max
        func consider(_ instant: UInt64?) { if let instant { earliest = min(earliest, instant) } }
        consider(names.deadline)
        switch schedule {
        // Nothing is told before the look that is due: it may be true no longer.
        case .held(let until), .draining(let until): consider(until)
        case .open:
            consider(pathReporter?.deadline)
            consider(pathRecheckAt)
            consider(unanswered.retryAt)
            consider(confirmAt)
            consider(costWait.deadline)
            for target in watched.values {
                consider(target.reporter.deadline)
                consider(target.recheckAt)
            }
        }
        return earliest == .max ? nil : earliest
    }

    /// What was thought of routers at the last look.
    var doubts: [Gateway: Gateway.Doubt] {
        var doubts = pathDoubts
        for target in watched.values where !target.doubts.isEmpty { doubts.merge(target.doubts) { $1 } }
        return doubts
    }

    /// What sending costs, as far as it is known.
    var costs: CostPolicy {
        var costs = settings.costs
        costs.metered = costWait.metered
        return costs
    }

    /// How single addresses are judged now.
    var routes: RouteEvaluator {
        RouteEvaluator(gatewayPatience: settings.gatewayPatience, doubts: doubts)
    }

    /// How long things have to hold.
    func damping<State>(_: State.Type) -> FlapDamper<State>.Settings {
        FlapDamper<State>.Settings(
            settle: settings.settle.nanoseconds, maximum: settings.maximumSettle.nanoseconds)
    }
}
