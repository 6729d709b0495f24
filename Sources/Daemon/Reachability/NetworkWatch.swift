import Configuration
import Journal
import Netlink
import NetworkPaths
import Platform
import Reachability
import Resolver

/// Watches the network: the sockets to the kernel and the timer around `ReachabilityState`, whose effects are carried out
/// in the turn of the loop in which they arise.
///
/// It watches always, for the status and the journal: while nothing changes that costs nothing.
@DaemonActor
final class NetworkWatch {
    /// Who has to be told what.
    struct Listener {
        /// The path has changed.
        var path: @DaemonActor (NetworkPath) -> Void
        /// A watched host has changed.
        var target: @DaemonActor (TargetKey, TargetReachability) -> Void
        /// A watched host's name was looked up, whatever came of it.
        var lookedUp: @DaemonActor (TargetKey) -> Void
        /// The path has changed, for the journal. Called once all others were told.
        var record: @DaemonActor (NetworkPath) -> Void
        /// Everybody was told; there may be something else to do.
        var settled: @DaemonActor () -> Void
        /// Whether another name may be looked up for a user.
        var mayLookUp: @DaemonActor (UInt32) -> Bool
        /// The user to whose limits a user's look-ups count.
        var share: @DaemonActor (UInt32) -> UInt32 = { $0 }
    }

    /// What hears the kernel, and what asks it.
    private struct Sockets {
        let monitor: NetlinkMonitor
        let kernel: KernelInquiry
    }

    /// What came of looking up a name.
    enum LookupOutcome: String, CaseIterable {
        case found, notFound, notAnswering
        /// Nobody was asked, as there was too much to do.
        case refused
    }

    /// Who is told; to be set before `start`.
    var listener: Listener?
    /// Why the kernel cannot be asked, for a person; nil where it can.
    private(set) var problem: String? = "the network is not watched yet"

    /// Whether it watches no longer, as the daemon ends.
    private(set) var hasStopped = false

    private let clock: any TimeSource
    private let resolver: NameResolver
    private var tickets: [Int64: NameResolver.Ticket] = [:]
    /// Names looked up since the start, by what came of it.
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
    /// Whether the network was judged for the first time, which is no change.
    private var hasStarted = false
    /// Whether anybody was told anything in this turn.
    private var hasReported = false
    /// How often announcements were taken, to see whether a release did.
    private var turns: UInt64 = 0

    init(_ settings: Settings.Reachability, clock: any TimeSource) throws(SystemError) {
        self.clock = clock
        state = ReachabilityState(settings: ReachabilitySettings(settings))
        state.reportsAtOnce = true
        state.isPathWatched = false
        resolver = try NameResolver(settings.resolver, clock: clock)
        queriesNetworkManager = settings.queriesNetworkManager
        // It is armed only for a while after a change.
        timer = try TimerSource(accuracy: .milliseconds(1)) { [weak self] in
            self?.update { $0.timerFired(at: $1, querying: $2) }
        }
    }

    /// Opens the sockets, or takes over those that were handed over, and judges the network for the first time. Where they
    /// cannot be had, the daemon does without: `problem` says why.
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
        let configuration = ResolverConfiguration { [weak self] in self?.namesMayHaveChanged() }
        self.configuration = configuration
        // Before the network is judged: a way whose cost is being asked for waits for the answer.
        let metered = MeteredConnections(isWanted: queriesNetworkManager) { [weak self] report in
            self?.update { $0.use(costs: report, at: $1, querying: $2) }
        }
        self.metered = metered
        update { $0.start(nameServers: configuration.nameServers, costs: metered.report, at: $1, querying: $2) }
        hasStarted = true
    }

    /// Watches no longer.
    func stop() {
        timer?.cancel()
        metered?.stop()
        configuration?.stop()
        for ticket in tickets.values { resolver.cancel(ticket) }
        tickets = [:]
        sockets?.monitor.stop()
        sockets = nil
        hasStopped = true
        problem = "the daemon is stopping"
    }

    private static func socket(_ handed: Int32?) throws(NetlinkError) -> NetlinkSocket {
        guard let handed else { return try NetlinkSocket() }
        return try NetlinkSocket(adopting: OwnedDescriptor(adopting: handed))
    }

    // What is known

    /// The path as it was told last; nil where the kernel cannot be asked.
    var path: NetworkPath? { sockets == nil ? nil : state.path }

    /// A watched host as it was told last.
    func target(_ key: TargetKey) -> TargetReachability? { state.target(key) }

    /// A host as it is now, and what was looked at; nil where the kernel cannot be asked.
    func explain(_ key: TargetKey) -> (target: TargetReachability, steps: [ReachabilityStep])? {
        guard let kernel = sockets?.kernel else { return nil }
        return state.explain(key, at: clock.monotonicNanoseconds, querying: kernel)
    }

    /// Whether a program lives in the network that is watched, as far as that is known.
    func isWatched(_ network: NetworkIdentity?) -> Bool {
        guard let watched = sockets?.monitor.network, let network else { return false }
        return watched == network
    }

    /// Whether names are looked up here, as far as is known.
    var looksUpNames: Bool { resolver.isWanted && resolver.problem == nil }

    /// Why names cannot be looked up, or not as they are to be, for a person; nil where they can, as far as is known.
    var nameProblem: String? { resolver.problem ?? configuration?.problem }

    /// How often the kernel was asked everything, what it has announced, how often that was too much, and how many reports
    /// of who tried a host were.
    var figures: (evaluations: UInt64, messages: Int, overruns: Int, droppedReports: Int) {
        let heard = sockets?.monitor.counters
        return (state.evaluations, heard?.messages ?? 0, heard?.overruns ?? 0, state.droppedReports)
    }

    // What happens

    /// Whether somebody is told of the path: who watches is told first.
    var isPathWatched: Bool {
        get { state.isPathWatched }
        set { state.isPathWatched = newValue }
    }

    /// A host is watched from now on. What is known of it at once is `target` afterwards.
    func watch(_ key: TargetKey) { update { $0.watch(key, at: $1, querying: $2) } }

    /// It is watched no longer.
    func unwatch(_ key: TargetKey) { update { state, now, _ in state.unwatch(key, at: now) } }

    /// A watched host whose name has no address is looked up, unless it is already.
    func lookUpAgain(_ key: TargetKey) { update { state, _, _ in state.lookUpAgain(key) } }

    /// Whether something is to be found out of a host's name, of which no address is known.
    func isAwaitingName(_ key: TargetKey) -> Bool { state.isAwaitingName(key) }

    /// Somebody has tried to reach a host.
    func report(_ outcome: ReportedOutcome, for key: TargetKey) {
        update { $0.report(outcome, for: key, at: $1, querying: $2) }
    }

    /// The machine was suspended, or a clock was set: nothing that was known can be relied on.
    func queryAgain() {
        resolver.networkChanged()
        update { $0.queryAgain(at: $1, querying: $2) }
    }

    /// The settings have changed.
    func apply(_ settings: Settings.Reachability) {
        let hasOtherResolver = resolver.apply(settings.resolver)
        queriesNetworkManager = settings.queriesNetworkManager
        metered?.apply(isWanted: queriesNetworkManager)
        update { $0.use(settings: ReachabilitySettings(settings), at: $1, querying: $2) }
        if hasOtherResolver { namesMayHaveChanged() }
    }

    private func namesMayHaveChanged() {
        guard let servers = configuration?.nameServers else { return }
        resolver.networkChanged()
        update { $0.use(nameServers: servers, at: $1, querying: $2) }
    }

    private func heard(_ events: NetworkEvents) {
        turns += 1
        update { $0.handle(events, at: $1, querying: $2) }
    }

    private func update(
        _ change: (inout ReachabilityState, UInt64, KernelInquiry) -> [ReachabilityEffect]
    ) {
        guard let sockets else { return }
        let now = clock.monotonicNanoseconds
        let effects = change(&state, now, sockets.kernel)
        guard effects.contains(where: \.isStateReport) else { return perform(effects) }
        // Whoever is told of a way is not to hear afterwards that it was interrupted before.
        var late = sockets.monitor.drain()
        state.discount(&late, unreportedSince: now)
        perform(effects)
        if !late.isEmpty { heard(late) }
    }
}

// What is to be done

extension NetworkWatch {
    /// Carries out effects in their order, those that arise meanwhile after them.
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
            listener?.path(path)
            resolver.networkChanged()
        case .reportTarget(let key, let target):
            hasReported = true
            listener?.target(key, target)
        case .continueEvaluation: update { $0.continueEvaluation(at: $1, querying: $2) }
        case .lookUp(let number, let name, let uid): lookUp(number, name, uid)
        case .lookedUp(let key): listener?.lookedUp(key)
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
        guard listener?.mayLookUp(uid) == true else { return lookedUp(number, nil) }
        tickets[number] = resolver.resolve(name, for: uid, share: listener?.share(uid)) { [weak self] in
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
        let before = turns
        // What has come meanwhile is heard by this, where there is something.
        monitor.isHeld = false
        if turns == before { heard(monitor.drain()) }
    }

    /// What can wait until everybody was told: it takes longer than telling.
    private func settle() {
        // The kernel may have put them in the queue behind the daemon: who wakes another often sleeps right after.
        if hasReported { ProcessorShare.yield() }
        let paths = unrecorded
        unrecorded.removeAll(keepingCapacity: true)
        for path in paths { listener?.record(path) }
        guard hasReported else { return }
        hasReported = false
        listener?.settled()
    }
}

extension ReachabilitySettings {
    /// What the configuration says.
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
