import Configuration
import Journal
import Netlink
import NetworkPaths
import Platform
import Reachability
import Resolver

/// Watches the network: owns the netlink sockets and the timer around `ReachabilityState`, and performs its effects in
/// the same iteration of the event loop in which they arise.
///
/// The network is always watched, for the status and the journal. This costs nothing while nothing changes.
@DaemonActor
final class NetworkWatch {
    /// The socket for the kernel's announcements, and the one for queries.
    private struct Sockets {
        let monitor: NetlinkMonitor
        let kernel: KernelInquiry
    }

    /// The outcome of a name lookup.
    enum LookupOutcome: String, CaseIterable {
        case found, notFound, notAnswering
        /// No name server was queried, because of a limit.
        case refused
    }

    /// Limits the number of look-ups for a user; to be set before `start`.
    weak var limits: ReachabilityService?
    /// Why the kernel cannot be queried, for a person; nil if it can.
    private(set) var problem: String? = "the network is not watched yet"

    /// Whether watching has ended because the daemon stops.
    private(set) var hasStopped = false

    private let changes: Changes
    private let clock: any TimeSource
    private let resolver: NameResolver
    private var tickets: [Int64: NameResolver.Ticket] = [:]
    /// Names looked up since the start, by outcome.
    private(set) var lookups: [LookupOutcome: Int] = [:]
    private var configuration: ResolverConfiguration?
    private var metered: MeteredConnections?
    private var queriesNetworkManager: Bool
    private var state: ReachabilityState
    private var sockets: Sockets?
    private var timer: TimerSource?
    private var effects: [ReachabilityEffect] = []
    private var isPerforming = false
    private var unrecorded: [NetworkPath] = []
    /// Whether the network was evaluated for the first time. The first result is no change.
    private var hasStarted = false
    /// Whether any client was notified in this iteration.
    private var hasReported = false
    /// The number of times that announcements were handled; `release` compares it to see whether any were.
    private var batches: UInt64 = 0

    init(_ settings: Settings.Reachability, changes: Changes, clock: any TimeSource) throws(SystemError) {
        self.changes = changes
        self.clock = clock
        state = ReachabilityState(settings: ReachabilitySettings(settings))
        state.reportsAtOnce = true
        state.isPathWatched = false
        resolver = try NameResolver(settings.resolver, clock: clock)
        queriesNetworkManager = settings.queriesNetworkManager
        // The timer is armed only for a while after a change.
        timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in
            self?.update { $0.timerFired(at: $1, querying: $2) }
        }
    }

    /// Opens the sockets or adopts those of the previous process, and evaluates the network for the first time. If the
    /// sockets cannot be opened, the daemon runs without, and `problem` states why.
    func start(_ handed: HandedSockets.Routing?) {
        do {
            let announcements = try Self.socket(handed?.announcements)
            let queries = try Self.socket(handed?.queries)
            let kernel = KernelInquiry(socket: queries)
            let monitor = try NetlinkMonitor(socket: announcements) { [weak self] in self?.heard($0) }
            sockets = Sockets(monitor: monitor, kernel: kernel)
            problem = nil
        } catch {
            problem = "\(error)"
            return Log.error("the network is not watched: \(error)")
        }
        let configuration = ResolverConfiguration(changes: changes)
        self.configuration = configuration
        // Before the first evaluation: a route whose cost is being queried waits for NetworkManager's reply.
        let metered = MeteredConnections(isWanted: queriesNetworkManager, changes: changes)
        self.metered = metered
        update { $0.start(nameServers: configuration.nameServers, costs: metered.report, at: $1, querying: $2) }
        hasStarted = true
    }

    /// Ends watching. Nothing is reported any more: that the parts forget what they know is no news of the network.
    func stop() {
        hasStopped = true
        problem = "the daemon is stopping"
        sockets?.monitor.stop()
        sockets = nil
        timer?.cancel()
        metered?.stop()
        configuration?.stop()
        for ticket in tickets.values { resolver.cancel(ticket) }
        tickets = [:]
    }

    private static func socket(_ handed: Int32?) throws(NetlinkError) -> NetlinkSocket {
        guard let handed else { return try NetlinkSocket() }
        return try NetlinkSocket(adopting: OwnedDescriptor(adopting: handed))
    }

    // Knowledge

    /// The path as it was last reported; nil if the network cannot be watched.
    var path: NetworkPath? { sockets == nil ? nil : state.path }

    /// A watched host as it was last reported.
    func target(_ key: TargetKey) -> TargetReachability? { state.target(key) }

    /// The present state of a host and the steps that led to it; nil if the network cannot be watched.
    func explain(_ key: TargetKey) -> (target: TargetReachability, steps: [ReachabilityStep])? {
        guard let kernel = sockets?.kernel else { return nil }
        return state.explain(key, at: clock.monotonicNanoseconds, querying: kernel)
    }

    /// Whether a program is in the watched network namespace, as far as that is known.
    func isWatched(_ network: NetworkIdentity?) -> Bool {
        guard let watched = sockets?.monitor.network, let network else { return false }
        return watched == network
    }

    /// Whether name lookups are enabled and work, as far as is known.
    var looksUpNames: Bool { resolver.isWanted && resolver.problem == nil }

    /// Why names cannot be looked up, or changed name servers go unnoticed, for a person; nil if no problem is known.
    var nameProblem: String? { resolver.problem ?? configuration?.problem }

    /// Counters: full queries of the kernel, its announcements, overruns of the announcements' socket, and dropped
    /// reports from programs that tried a host.
    var figures: (evaluations: UInt64, messages: Int, overruns: Int, droppedReports: Int) {
        let heard = sockets?.monitor.counters
        return (state.evaluations, heard?.messages ?? 0, heard?.overruns ?? 0, state.droppedReports)
    }

    // Changes

    /// Whether a client watches the path. If so, the path is reported before any host.
    var isPathWatched: Bool {
        get { state.isPathWatched }
        set { state.isPathWatched = newValue }
    }

    /// Starts to watch a host. `target` then returns its state as far as it is known at once.
    func watch(_ key: TargetKey) { update { $0.watch(key, at: $1, querying: $2) } }

    /// Ends watching a host.
    func unwatch(_ key: TargetKey) { update { state, now, _ in state.unwatch(key, at: now) } }

    /// Looks the name of a watched host up if no address is known, unless a lookup is already running.
    func lookUpAgain(_ key: TargetKey) { update { state, _, _ in state.lookUpAgain(key) } }

    /// Whether the result of a lookup is still expected for a host's name, no address of which is known.
    func isAwaitingName(_ key: TargetKey) -> Bool { state.isAwaitingName(key) }

    /// Applies a program's report that it has tried to reach a host.
    func report(_ outcome: ReportedOutcome, for key: TargetKey) {
        update { $0.report(outcome, for: key, at: $1, querying: $2) }
    }

    /// Queries everything again after a suspend or a change of a clock, because earlier results may be outdated.
    func queryAgain() {
        resolver.networkChanged()
        update { $0.queryAgain(at: $1, querying: $2) }
    }

    /// Applies changed settings.
    func apply(_ settings: Settings.Reachability) {
        let hasOtherResolver = resolver.apply(settings.resolver)
        queriesNetworkManager = settings.queriesNetworkManager
        metered?.apply(isWanted: queriesNetworkManager)
        update { $0.use(settings: ReachabilitySettings(settings), at: $1, querying: $2) }
        if hasOtherResolver { nameServersChanged() }
    }

    /// Uses other costs of the interfaces.
    func use(costs: CostReport) { update { $0.use(costs: costs, at: $1, querying: $2) } }

    /// Looks up the names of watched hosts again, because the results may differ.
    func nameServersChanged() {
        guard let servers = configuration?.nameServers else { return }
        resolver.networkChanged()
        update { $0.use(nameServers: servers, at: $1, querying: $2) }
    }

    private func heard(_ events: NetworkEvents) {
        batches += 1
        update { $0.handle(events, at: $1, querying: $2) }
    }

    private func update(
        _ change: (inout ReachabilityState, UInt64, KernelInquiry) -> [ReachabilityEffect]
    ) {
        guard let sockets else { return }
        let now = clock.monotonicNanoseconds
        let effects = change(&state, now, sockets.kernel)
        guard effects.contains(where: \.isStateReport) else { return perform(effects) }
        // A client that receives a new path must not be notified afterwards of an interruption that happened before it.
        var late = sockets.monitor.drain()
        state.discount(&late, unreportedSince: now)
        perform(effects)
        if !late.isEmpty { heard(late) }
    }
}

// Effects

extension NetworkWatch {
    /// Performs effects in order. Those that arise meanwhile are performed after them.
    private func perform(_ new: [ReachabilityEffect]) {
        effects += new
        guard !isPerforming else { return }
        isPerforming = true
        var next = 0
        while next < effects.count {
            perform(effects[next])
            next += 1
        }
        effects.removeAll(keepingCapacity: true)
        isPerforming = false
        settle()
    }

    private func perform(_ effect: ReachabilityEffect) {
        switch effect {
        case .reportPath(let path):
            hasReported = true
            changes.report(.networkPathChanged(path))
            resolver.networkChanged()
        case .reportTarget(let key, let target):
            hasReported = true
            changes.report(.targetChanged(key, target))
        case .continueEvaluation: update { $0.continueEvaluation(at: $1, querying: $2) }
        case .lookUp(let number, let name, let uid): lookUp(number, name, uid)
        case .lookedUp(let key): changes.report(.nameLookedUp(key))
        case .abandonLookup(let number):
            if let ticket = tickets.removeValue(forKey: number) { resolver.cancel(ticket) }
        case .arm(let instant): timer?.arm(at: instant)
        case .disarm: timer?.disarm()
        case .holdEvents: sockets?.monitor.isHeld = true
        case .releaseEvents: release()
        case .watchAllNeighbours(let isWatching):
            sockets?.monitor.watchesAllNeighbours = isWatching
            if isWatching { update { $0.hearsAllNeighbours(at: $1, querying: $2) } }
        case .recordPath(let path): if hasStarted { unrecorded.append(path) }
        }
    }

    private func lookUp(_ number: Int64, _ name: String, _ uid: UInt32) {
        guard let name = HostName(name) else { return lookedUp(number, .notFound) }
        guard let limits, limits.mayLookUp(for: uid) else { return lookedUp(number, nil) }
        tickets[number] = resolver.resolve(name, for: uid, share: limits.accounts.limitUser(uid)) { [weak self] in
            self?.lookedUp(number, $0)
        }
    }

    private func lookedUp(_ number: Int64, _ answer: NameAnswer?) {
        tickets[number] = nil
        let (outcome, answer): (LookupOutcome, LookupAnswer) =
            switch answer {
            case .addresses(let addresses): (.found, .addresses(addresses))
            case .notFound: (.notFound, .noSuchName)
            case .notAnswering, .failed: (.notAnswering, .noAnswer)
            case nil: (.refused, .postponed)
            }
        lookups[outcome, default: 0] += 1
        update { $0.lookedUp(number, answer, at: $1, querying: $2) }
    }

    private func release() {
        guard let monitor = sockets?.monitor else { return }
        let before = batches
        // This handles the announcements received meanwhile, if there are any.
        monitor.isHeld = false
        if batches == before { heard(monitor.drain()) }
    }

    /// Does the work that may be deferred until all clients are notified, because it is slower than the notifications.
    private func settle() {
        // The kernel may have queued the woken clients behind the daemon, because a process that wakes others often
        // sleeps soon after. Yielding the processor lets them run now.
        if hasReported { ProcessorShare.yield() }
        let paths = unrecorded
        unrecorded.removeAll(keepingCapacity: true)
        for path in paths { changes.report(.networkPathRecorded(path)) }
        guard hasReported else { return }
        hasReported = false
        changes.report(.networkSettled)
    }
}

extension ReachabilitySettings {
    /// The reachability settings of the configuration.
    init(_ settings: Settings.Reachability) {
        self.init()
        settle = settings.settle
        maximumSettle = settings.maximumSettle
        gatewayPatience = settings.gatewayPatience
        costs = CostPolicy(
            expensive: settings.expensive.map { NamePattern($0.description) },
            constrained: settings.constrained.map { NamePattern($0.description) },
            ultraConstrained: settings.ultraConstrained.map { NamePattern($0.description) })
    }
}
