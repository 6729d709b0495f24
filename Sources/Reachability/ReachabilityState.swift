import Durations
import NetworkPaths

/// The network state, and which clients have to be notified of which changes and when. Pure: events and the time in,
/// effects out.
///
/// The daemon around it opens the sockets and carries out the effects in their order. All times are nanoseconds of
/// CLOCK_MONOTONIC. The kernel is queried within the calls. Of its replies only descriptions of interfaces are stored
/// (`LinkBook`).
public struct ReachabilityState: Sendable {
    /// When the network is evaluated next.
    enum Schedule: Equatable, Sendable {
        /// With the next announcement.
        case open
        /// Not before this instant, because the budget is exhausted. Until then announcements do not wake the daemon.
        case held(until: UInt64)
        /// Once the event source has been drained, which is already requested; at the latest at this instant.
        case draining(until: UInt64)
    }

    /// A watched host.
    struct WatchedTarget: Sendable {
        var reporter: StateReporter<TargetReachability>
        var watchers = 1
        var doubts: [Gateway: Gateway.Doubt]
        var recheckAt: UInt64?
        /// The number of the evaluation that included this host last.
        var evaluatedAt: UInt64 = 0
    }

    /// The settings of the evaluation.
    public internal(set) var settings: ReachabilitySettings
    /// The number of evaluations of the network.
    public internal(set) var evaluations: UInt64 = 0
    /// How often the event source reported that the kernel had more to announce than the socket could hold. One
    /// overflow is reported once or twice.
    public internal(set) var overruns: UInt64 = 0
    /// The number of evaluations that were postponed, because there had been too many.
    public internal(set) var holds: UInt64 = 0
    /// The number of hosts whose reports were dropped because there were too many.
    public var droppedReports: Int { reports.dropped }

    /// Whether any client watches the path. If none does, hosts that do not depend on the path are evaluated before it.
    public var isPathWatched = true
    /// Whether an evaluation pauses with `continueEvaluation` as soon as it has something to report, so that clients
    /// are notified before the rest is evaluated.
    public var reportsAtOnce = false

    var links = LinkBook()
    var names = NameBook()
    var reports = TargetReports()
    var nameServers: [HostAddress] = []
    /// Which interfaces are metered, as far as reported, and which paths wait for that report.
    var costWait = CostWait()

    var pathReporter: StateReporter<NetworkPath>?
    var pathDoubts: [Gateway: Gateway.Doubt] = [:]
    var pathRecheckAt: UInt64?
    var recordedPath: NetworkPath?
    var watched: [TargetKey: WatchedTarget] = [:]

    /// What was announced since the last evaluation.
    var announced = NetworkEvents()
    var schedule = Schedule.open
    var budget = EvaluationBudget()
    var unanswered = UnansweredSpell()
    /// The queries that the next evaluation may send in one batch.
    var scripts: [EvaluationPass.Part: QueryPlan] = [:]
    /// The evaluation that paused so that its first results could be reported.
    var unfinished: EvaluationPass?
    /// When to evaluate again after a removal; nil if nothing was removed since the last evaluation.
    ///
    /// The kernel announces a removal first and then removes what depends on it without an announcement. An evaluation
    /// between the two may have reported something that no longer exists, and nothing else would start another
    /// evaluation.
    var confirmAt: UInt64?
    /// When `timerFired` was requested; nil if it was not.
    var armed: UInt64?
    private var watchesAllNeighbours = false

    /// The state before the first evaluation.
    public init(settings: ReachabilitySettings) {
        self.settings = settings
    }

    /// The path reported last; nil before `start`.
    public var path: NetworkPath? {
        guard let pathReporter else { return nil }
        var path = pathReporter.reported
        path.generation = pathReporter.generation
        return path
    }

    /// The state reported last for a watched host.
    public func target(_ key: TargetKey) -> TargetReachability? {
        guard let reporter = watched[key]?.reporter else { return nil }
        var target = reporter.reported
        target.generation = reporter.generation
        return target
    }

    /// Appends the effects that follow from the new state: when to call back, and which neighbours to watch.
    /// `releaseEvents` comes last: it may call back at once, and the effects of that call have to be carried out after
    /// all others.
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

    /// When `timerFired` has to be called.
    private var deadline: UInt64? {
        var earliest = UInt64.max
        func consider(_ instant: UInt64?) { if let instant { earliest = min(earliest, instant) } }
        consider(names.deadline)
        switch schedule {
        // Nothing is reported before the evaluation that is due, because it may no longer be true.
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

    /// The doubts about routers after the last evaluation.
    var doubts: [Gateway: Gateway.Doubt] {
        var doubts = pathDoubts
        for target in watched.values where !target.doubts.isEmpty { doubts.merge(target.doubts) { $1 } }
        return doubts
    }

    /// The cost of sending, as far as it is known.
    var costs: CostPolicy {
        var costs = settings.costs
        costs.metered = costWait.metered
        return costs
    }

    /// The evaluator for single addresses, with the present settings and doubts.
    var routes: RouteEvaluator {
        RouteEvaluator(gatewayPatience: settings.gatewayPatience, doubts: doubts)
    }

    /// How long states have to last before they are reported.
    func damping<State>(_: State.Type) -> FlapDamper<State>.Settings {
        FlapDamper<State>.Settings(
            settle: settings.settle.nanoseconds, maximum: settings.maximumSettle.nanoseconds)
    }
}
