import NetworkPaths
import Reachability
import Testing

/// A daemon around `ReachabilityState` on a simulated kernel: a clock, a timer, an event source with a delay, and a
/// resolver with a delay. All reports to clients are recorded.
struct SimulatedMachine {
    let kernel: SimulatedKernel
    var state: ReachabilityState
    /// The result of each name's lookup.
    var names: [String: LookupAnswer] = [:]
    /// How long a lookup takes.
    var lookupTime: UInt64 = 20 * milliseconds
    /// How long announcements stay queued.
    var delay: UInt64 = 0
    /// Runs while the watchers of the path are notified.
    var whileReporting: ((SimulatedKernel) -> Void)?

    private(set) var paths: [NetworkPath] = []
    private(set) var targets: [TargetKey: [TargetReachability]] = [:]
    private(set) var recorded: [NetworkPath] = []
    private(set) var lookups: [String] = []
    private(set) var lookedUp: [TargetKey] = []
    private(set) var abandoned: [Int64] = []
    /// The times of evaluations, and whether an overrun caused each.
    private(set) var passes: [(time: UInt64, isFree: Bool)] = []
    private(set) var isHeld = false

    private var armed: UInt64?
    private var pending: [(number: Int64, name: String, due: UInt64)] = []
    private var heardAt: UInt64?

    init(_ kernel: SimulatedKernel, _ settings: ReachabilitySettings = ReachabilitySettings()) {
        self.kernel = kernel
        state = ReachabilityState(settings: settings)
    }

    var now: UInt64 { kernel.now }
    var path: NetworkPath? { state.path }
    /// Whether nothing is left to be received, reported or looked up.
    var isQuiet: Bool { armed == nil && pending.isEmpty && kernel.announcements.isEmpty && !kernel.hasOverrun }
    /// When something is due next.
    var nextInstant: UInt64? { ([armed, heardAt] + pending.map { Optional($0.due) }).compactMap(\.self).min() }

    mutating func start(nameServers: [HostAddress] = [], costs report: CostReport = CostReport()) {
        update { $0.start(nameServers: nameServers, costs: report, at: $1, querying: $2) }
    }

    mutating func watch(_ key: TargetKey) {
        update { $0.watch(key, at: $1, querying: $2) }
        if let first = state.target(key), targets[key] == nil { targets[key] = [first] }
    }

    mutating func unwatch(_ key: TargetKey) { update { state, now, _ in state.unwatch(key, at: now) } }

    mutating func lookUpAgain(_ key: TargetKey) { update { state, _, _ in state.lookUpAgain(key) } }

    mutating func report(_ outcome: ReportedOutcome, for key: TargetKey) {
        update { $0.report(outcome, for: key, at: $1, querying: $2) }
    }

    mutating func queryAgain() { update { $0.queryAgain(at: $1, querying: $2) } }

    mutating func use(nameServers: [HostAddress]) { update { $0.use(nameServers: nameServers, at: $1, querying: $2) } }

    mutating func use(metered: [String: Bool]) { use(costs: CostReport(metered: metered)) }

    mutating func use(costs report: CostReport) { update { $0.use(costs: report, at: $1, querying: $2) } }

    mutating func use(_ settings: ReachabilitySettings) {
        update { $0.use(settings: settings, at: $1, querying: $2) }
    }

    /// Delivers the result of an abandoned lookup.
    mutating func answer(_ answer: LookupAnswer, to number: Int64) {
        update { $0.lookedUp(number, answer, at: $1, querying: $2) }
    }

    /// The timer fires before its time.
    mutating func fireEarly() {
        armed = nil
        update { $0.timerFired(at: $1, querying: $2) }
    }

    mutating func explain(_ key: TargetKey) -> (target: TargetReachability, steps: [ReachabilityStep]) {
        state.explain(key, at: kernel.now, querying: kernel)
    }

    /// Changes the kernel; the announcements are received after the delay.
    mutating func change(_ body: (SimulatedKernel) -> Void) {
        body(kernel)
        listen()
    }

    /// Advances the clock, and handles everything that is due by then.
    mutating func advance(_ nanoseconds: UInt64) {
        let end = now + nanoseconds
        for _ in 0..<1_000_000 {
            guard let next = nextInstant, next <= end else { break }
            kernel.now = max(now, next)
            iterate()
        }
        kernel.now = max(now, end)
        iterate()
    }

    /// Advances the clock until nothing is due within a minute, the time after which missing names are looked up again;
    /// at most this many iterations.
    mutating func settle(_ turns: Int = 10_000) {
        for _ in 0..<turns {
            guard let next = nextInstant, next < now + 60 * seconds else { return }
            kernel.now = max(now, next)
            iterate()
        }
        Issue.record("the machine does not become quiet")
    }

    private mutating func iterate() {
        if let heardAt, heardAt <= now, !isHeld || kernel.hasOverrun { hear() }
        for lookup in pending where lookup.due <= now { finish(lookup.number, lookup.name) }
        if let armed, armed <= now {
            self.armed = nil
            update { $0.timerFired(at: $1, querying: $2) }
        }
        listen()
    }

    private mutating func listen() {
        if delay == 0, isReadable { hear() }
        // The rest is received in the next iteration.
        heardAt = isReadable ? heardAt ?? now + delay : nil
    }

    private var isReadable: Bool { !kernel.announcements.isEmpty && !isHeld || kernel.hasOverrun }

    private mutating func hear() {
        heardAt = nil
        let events = kernel.drain()
        update { $0.handle(events, at: $1, querying: $2) }
    }

    private mutating func finish(_ number: Int64, _ name: String) {
        guard pending.contains(where: { $0.number == number }) else { return }
        pending.removeAll { $0.number == number }
        let answer = names[name] ?? .noAnswer
        update { $0.lookedUp(number, answer, at: $1, querying: $2) }
    }

    private mutating func update(
        _ body: (inout ReachabilityState, UInt64, SimulatedKernel) -> [ReachabilityEffect]
    ) {
        let (before, overruns) = (state.evaluations, state.overruns)
        let effects = body(&state, now, kernel)
        if state.evaluations > before { passes.append((now, state.overruns > overruns)) }
        for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: ReachabilityEffect) {
        switch effect {
        case .reportPath(let path):
            paths.append(path)
            whileReporting?(kernel)
        case .reportTarget(let key, let target): targets[key, default: []].append(target)
        case .continueEvaluation: update { $0.continueEvaluation(at: $1, querying: $2) }
        case .lookUp(let number, let name, _):
            lookups.append(name)
            pending.append((number, name, now + lookupTime))
        case .lookedUp(let key): lookedUp.append(key)
        case .abandonLookup(let number):
            abandoned.append(number)
            pending.removeAll { $0.number == number }
        case .arm(let instant): armed = instant
        case .disarm: armed = nil
        case .holdEvents: isHeld = true
        case .releaseEvents:
            isHeld = false
            heardAt = nil
            let events = kernel.drain()
            update { $0.handle(events, at: $1, querying: $2) }
        case .watchAllNeighbours(let all):
            kernel.watchesAllNeighbours = all
            if all { update { $0.hearsAllNeighbours(at: $1, querying: $2) } }
        case .recordPath(let path): recorded.append(path)
        }
    }
}

extension SimulatedMachine {
    /// The states that a new client would get now.
    func fresh(_ keys: [TargetKey] = [], nameServers: [HostAddress] = []) -> (
        NetworkPath?, [TargetKey: TargetReachability]
    ) {
        var other = SimulatedMachine(kernel, ReachabilitySettings())
        other.names = names
        let watchesAll = kernel.watchesAllNeighbours
        let announcements = (kernel.announcements, kernel.hasOverrun)
        (kernel.announcements, kernel.hasOverrun) = ([], false)
        other.lookupTime = 0
        other.start(nameServers: nameServers)
        for key in keys { other.watch(key) }
        other.iterate()
        let targets = keys.compactMap { key in other.target(key).map { (key, $0) } }
        kernel.watchesAllNeighbours = watchesAll
        (kernel.announcements, kernel.hasOverrun) = announcements
        return (other.path?.unnumbered, Dictionary(targets) { $1 })
    }

    /// The state reported last for a watched host, without its generation.
    func target(_ key: TargetKey) -> TargetReachability? { state.target(key)?.unnumbered }
}

extension NetworkPath {
    var unnumbered: NetworkPath {
        var path = self
        path.generation = 0
        return path
    }
}

extension TargetReachability {
    var unnumbered: TargetReachability {
        var target = self
        target.generation = 0
        return target
    }
}
