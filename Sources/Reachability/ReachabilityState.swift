import Location

/// What is known of the network, and who has to be told what and when: events and the time in, effects out.
///
/// The daemon around it opens the sockets and carries out the effects, in their order. All times are nanoseconds of
/// CLOCK_MONOTONIC. The kernel is asked within the calls and nothing of its answers is kept but descriptions of
/// interfaces (`LinkBook`).
public struct ReachabilityState: Sendable {
    /// How the network is judged.
    public private(set) var settings: ReachabilitySettings
    /// The path as it was told last; nil before `start`.
    public private(set) var path: NetworkPath?
    /// How often the kernel was asked everything, since the start.
    public private(set) var evaluations: UInt64 = 0
    private var targets: [TargetKey: TargetReachability] = [:]

    /// A state that knows nothing yet.
    public init(settings: ReachabilitySettings) {
        self.settings = settings
    }

    /// The sockets are open: the network is judged for the first time.
    public mutating func start(
        nameServers: [HostAddress] = [], at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] {
        let path = NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering)
        self.path = path
        return [.tellPath(path)]
    }

    /// The kernel has announced something, or the event source was released.
    public mutating func take(
        _ events: NetworkEvents, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] { [] }

    /// The armed moment has come.
    public mutating func timerFired(at now: UInt64, asking kernel: some Kernel) -> [ReachabilityEffect] { [] }

    /// Nothing that was known can be relied on: the machine was suspended, a clock was set, a socket was opened again.
    public mutating func askAgain(at now: UInt64, asking kernel: some Kernel) -> [ReachabilityEffect] { [] }

    /// The name servers may have changed, or what the system knows of names: resolv.conf or hosts was written.
    public mutating func use(
        nameServers: [HostAddress], at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] { [] }

    /// NetworkManager has told which interfaces are metered, by name.
    public mutating func use(
        metered: [String: Bool], at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] { [] }

    /// The configuration was read again. What NetworkManager has told stays.
    public mutating func use(
        settings: ReachabilitySettings, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] {
        let metered = self.settings.costs.metered
        self.settings = settings
        self.settings.costs.metered = metered
        return askAgain(at: now, asking: kernel)
    }

    /// Somebody watches a host, one more time. What is known of it at once is `target` afterwards; no effect repeats it.
    public mutating func watch(
        _ key: TargetKey, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] {
        targets[key] = TargetReachability(host: key.text, port: key.port, status: .unknown, reason: .resolving)
        return []
    }

    /// Somebody watches a host no longer, one time.
    public mutating func unwatch(_ key: TargetKey, at now: UInt64) -> [ReachabilityEffect] {
        targets[key] = nil
        return []
    }

    /// A lookup has ended. Numbers that are wanted no longer change nothing.
    public mutating func lookedUp(
        _ number: Int64, _ answer: LookupAnswer, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] { [] }

    /// Somebody has tried to reach a host.
    public mutating func report(
        _ outcome: ReportedOutcome, for key: TargetKey, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] { [] }

    /// A watched host as it was told last.
    public func target(_ key: TargetKey) -> TargetReachability? { targets[key] }

    /// A host as it is now, watched or not, and what was looked at. A name that nobody watches is not looked up: watch it,
    /// wait until its reason is `resolving` no longer, and ask then.
    public mutating func explain(
        _ key: TargetKey, asking kernel: some Kernel
    ) -> (target: TargetReachability, steps: [ReachabilityStep]) {
        (TargetReachability(host: key.text, port: key.port, status: .unknown, reason: .resolving), [])
    }
}
