import NetworkPaths

extension ReachabilityState {
    /// The sockets are open: the network is judged for the first time.
    public mutating func start(
        nameServers: [HostAddress] = [], costs report: CostReport = CostReport(), at now: UInt64,
        querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        self.nameServers = nameServers
        _ = costWait.apply(report, at: now)
        return finish(pass(at: now, querying: kernel))
    }

    /// Takes from announcements what can be no interruption: they were heard after a look of this moment has found a way, and
    /// before anybody is told of it. The kernel may have announced before it answered that the way's interface had no
    /// carrier yet, say. `take` is to be called with the rest.
    public mutating func discount(_ events: inout NetworkEvents, unreportedSince instant: UInt64) {
        guard events.hasLosses else { return }
        interrupt(by: events, unreportedSince: instant)
        events.forgetLosses()
    }

    /// The kernel has announced something, or the event source was released.
    public mutating func handle(
        _ events: NetworkEvents, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        links.apply(events)
        announced.merge(events)
        if events.overrun { overruns += 1 }
        switch schedule {
        case .held:
            guard events.overrun else { return finish([]) }
            schedule = .open
            return finish(pass(at: now, querying: kernel) + [.releaseEvents])
        case .draining: schedule = .open
        case .open: if events.isEmpty { return finish([]) }
        }
        let effects =
            events.overrun
            ? pass(at: now, querying: kernel, pausing: reportsAtOnce)
            : evaluateOrHold(at: now, querying: kernel, pausing: reportsAtOnce)
        return unfinished == nil ? finish(effects) : effects
    }

    /// Messages about neighbours of all states are let through from now on. A router that was in doubt may have answered
    /// before, which nobody heard.
    public mutating func hearsAllNeighbours(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        finish(evaluateOrHold(at: now, querying: kernel))
    }

    /// What was told is told: the look goes on.
    public mutating func continueEvaluation(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        // Another look may have taken its place.
        guard let pass = unfinished else { return [] }
        unfinished = nil
        let effects = goOn(with: pass, at: now, querying: kernel, pausing: true)
        return unfinished == nil ? finish(effects) : effects
    }

    /// The armed moment has come.
    public mutating func timerFired(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        // It is asked for anew, also where it came early.
        armed = nil
        var effects = names.timerFired(at: now)
        switch schedule {
        case .held(let until):
            guard now >= until else { break }
            schedule = .draining(until: now + EvaluationBudget.interval)
            effects.append(.releaseEvents)
        case .draining(let until):
            // The event source was not drained: a look without its announcements is better than none.
            guard now >= until else { break }
            schedule = .open
            effects += evaluateOrHold(at: now, querying: kernel)
        case .open:
            if confirmAt.map({ $0 <= now }) ?? false {
                effects += confirm(at: now, querying: kernel)
            } else if costWait.expire(at: now) || isEvaluationDue(at: now) {
                effects += evaluateOrHold(at: now, querying: kernel)
            }
            if schedule == .open { effects += settle(at: now, querying: kernel) }
        }
        return finish(effects)
    }

    /// Nothing that was known can be relied on: the machine was suspended, a clock was set, a socket was opened again.
    public mutating func queryAgain(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        links.empty()
        return finish(pass(at: now, querying: kernel, lookingUpNames: true))
    }

    /// The name servers may have changed, or what the system knows of names: resolv.conf or hosts was written.
    public mutating func use(
        nameServers: [HostAddress], at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        self.nameServers = nameServers
        return finish(evaluateOrHold(at: now, querying: kernel, lookingUpNames: true))
    }

    /// NetworkManager has told which interfaces are metered, or that it does not know yet.
    public mutating func use(
        costs report: CostReport, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        guard costWait.apply(report, at: now) else { return finish([]) }
        return finish(evaluateOrHold(at: now, querying: kernel))
    }

    /// The configuration was read again.
    public mutating func use(
        settings: ReachabilitySettings, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        guard settings != self.settings else { return finish([]) }
        self.settings = settings
        let (ofPath, ofTargets) = (damping(NetworkPath.self), damping(TargetReachability.self))
        pathReporter?.use(ofPath, at: now)
        for key in watched.keys { watched[key]?.reporter.use(ofTargets, at: now) }
        return finish(evaluateOrHold(at: now, querying: kernel))
    }

    private func isEvaluationDue(at now: UInt64) -> Bool {
        ([pathRecheckAt, unanswered.retryAt] + watched.values.map(\.recheckAt)).contains {
            $0.map { $0 <= now } ?? false
        }
    }
}

extension NetworkEvents {
    /// Forgets what was away, which has been dealt with.
    fileprivate mutating func forgetLosses() {
        interrupted = []
        lostAddresses = []
    }

    /// Takes in what came later.
    mutating func merge(_ later: NetworkEvents) {
        count += later.count
        overrun = overrun || later.overrun
        hasRemovals = hasRemovals || later.hasRemovals
        if !later.interrupted.isEmpty { interrupted.formUnion(later.interrupted) }
        if !later.lostAddresses.isEmpty { lostAddresses.formUnion(later.lostAddresses) }
        if !later.changedLinks.isEmpty { changedLinks.formUnion(later.changedLinks) }
    }
}
