import Durations
import NetworkPaths

extension ReachabilityState {
    /// Adds a watcher of a host. The host's state is `target` afterwards; no effect repeats it.
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

    /// Removes a watcher of a host.
    public mutating func unwatch(_ key: TargetKey, at now: UInt64) -> [ReachabilityEffect] {
        guard let watchers = watched[key]?.watchers else { return finish([]) }
        guard watchers == 1 else {
            watched[key]?.watchers -= 1
            return finish([])
        }
        watched[key] = nil
        return finish(name(of: key).map { names.unwatch($0) } ?? [])
    }

    /// Looks up the name of a watched host at once if it has no address, unless a lookup is already running.
    public mutating func lookUpAgain(_ key: TargetKey) -> [ReachabilityEffect] {
        finish(name(of: key).map { names.lookUpAgain($0) } ?? [])
    }

    /// Whether a watched host has a name without a known address, about which a lookup will give more information.
    /// `lookedUp` follows in that case.
    public func isAwaitingName(_ key: TargetKey) -> Bool { name(of: key).map { names.isAwaited($0) } ?? false }

    /// Handles the result of a lookup. Numbers that are no longer needed have no effect.
    public mutating func lookedUp(
        _ number: Int64, _ answer: LookupAnswer, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        guard let answered = names.apply(answer, to: number, at: now) else { return finish([]) }
        let keys = watched.keys.filter { name(of: $0) == answered }
        return finish(keys.flatMap { pass(at: $0, at: now, querying: kernel) + [.lookedUp($0)] })
    }

    /// Records the outcome of an attempt to reach a host, watched or not. Clients that watch it are notified of a
    /// resulting change, whatever their spelling of the host.
    public mutating func report(
        _ outcome: ReportedOutcome, for key: TargetKey, at now: UInt64, querying kernel: some Kernel
    ) -> [ReachabilityEffect] {
        let before = reports.summary(of: key)
        reports.append(outcome, for: key)
        guard reports.summary(of: key) != before else { return finish([]) }
        return finish(
            watched.keys.filter { $0.isSameHost(as: key) }.flatMap { pass(at: $0, at: now, querying: kernel) })
    }

    /// Evaluates a host now, watched or not, and returns the steps of the evaluation. A name that no client watches is
    /// not looked up: watch it, wait until `isAwaitingName` is false, then call this.
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
