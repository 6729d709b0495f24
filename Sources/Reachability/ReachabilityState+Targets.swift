import Durations
import NetworkPaths

extension ReachabilityState {
    /// Somebody watches a host, one more time. What is known of it at once is `target` afterwards; no effect repeats it.
    public mutating func watch(
        _ key: TargetKey, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        guard watched[key] == nil else {
            watched[key]?.watchers += 1
            return finish([])
        }
        let effects = name(of: key).map { names.watch($0) } ?? []
        var finding = TargetEvaluator(routes: routes, costs: costs).evaluate(
            query(about: key), querying: kernel, links: &links)
        withhold(&finding, reported: nil, at: now)
        watched[key] = WatchedTarget(
            reporter: StateReporter(
                damping(TargetReachability.self), first: finding.target, uses: finding.uses, at: now),
            doubts: finding.doubts, recheckAt: finding.recheckAfter.map { now.after($0) })
        if !finding.isAnswered { unanswered.missed(at: now) }
        return finish(effects)
    }

    /// Somebody watches a host no longer, one time.
    public mutating func unwatch(_ key: TargetKey, at now: UInt64) -> [ReachabilityEffect] {
        guard let watchers = watched[key]?.watchers else { return finish([]) }
        guard watchers == 1 else {
            watched[key]?.watchers -= 1
            return finish([])
        }
        watched[key] = nil
        return finish(name(of: key).map { names.unwatch($0) } ?? [])
    }

    /// Somebody wants to know now: a watched host whose name has no address is looked up, unless it is already.
    public mutating func lookUpAgain(_ key: TargetKey) -> [ReachabilityEffect] {
        finish(name(of: key).map { names.lookUpAgain($0) } ?? [])
    }

    /// Whether something is to be found out of a watched host's name, of which no address is known; then `lookedUp` is
    /// told of it.
    public func isAwaitingName(_ key: TargetKey) -> Bool { name(of: key).map { names.isAwaited($0) } ?? false }

    /// A lookup has ended. Numbers that are wanted no longer change nothing.
    public mutating func lookedUp(
        _ number: Int64, _ answer: LookupAnswer, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        guard let answered = names.apply(answer, to: number, at: now) else { return finish([]) }
        let keys = watched.keys.filter { name(of: $0) == answered }
        return finish(keys.flatMap { pass(at: $0, at: now, querying: kernel) + [.lookedUp($0)] })
    }

    /// Somebody has tried to reach a host, which nobody has to watch. Whoever watches it is told of what follows, however
    /// it was written.
    public mutating func report(
        _ outcome: ReportedOutcome, for key: TargetKey, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        let before = reports.summary(of: key)
        reports.append(outcome, for: key)
        guard reports.summary(of: key) != before else { return finish([]) }
        return finish(
            watched.keys.filter { $0.isSameHost(as: key) }.flatMap { pass(at: $0, at: now, querying: kernel) })
    }

    /// A host as it is now, watched or not, and what was looked at. A name that nobody watches is not looked up: watch it,
    /// wait while its name is awaited, and ask then.
    public mutating func explain(
        _ key: TargetKey, at now: UInt64, querying kernel: some Kernel
    ) -> (target: TargetReachability, steps: [ReachabilityStep]) {
        let query = query(about: key)
        var finding = TargetEvaluator(routes: routes, costs: costs).evaluate(query, querying: kernel, links: &links)
        withhold(&finding, reported: watched[key]?.reporter.reported, at: now)
        finding.target.generation = watched[key]?.reporter.generation ?? 0
        let explanation = TargetExplanation(finding, of: query, querying: kernel, links: &links)
        return (finding.target, explanation.steps)
    }

    private func name(of key: TargetKey) -> NameBook.Key? {
        guard case .name(let name) = key.host else { return nil }
        return NameBook.Key(name: name, uid: key.uid)
    }
}
