import Location

extension ReachabilityState {
    /// Somebody watches a host, one more time. What is known of it at once is `target` afterwards; no effect repeats it.
    public mutating func watch(
        _ key: TargetKey, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] {
        guard watched[key] == nil else {
            watched[key]?.watchers += 1
            return finish([])
        }
        let effects = name(of: key).map { names.watch($0) } ?? []
        let finding = TargetEvaluator(routes: routes, costs: costs).evaluate(
            question(about: key), asking: kernel, links: &links)
        watched[key] = WatchedTarget(
            telling: Telling(damping(TargetReachability.self), first: finding.target, uses: finding.uses),
            doubts: finding.doubts, lookAgainAt: finding.lookAgainAfter.map { now.after($0) })
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

    /// A lookup has ended. Numbers that are wanted no longer change nothing.
    public mutating func lookedUp(
        _ number: Int64, _ answer: LookupAnswer, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] {
        guard let answered = names.take(answer, to: number, at: now) else { return finish([]) }
        return finish(
            watched.keys.filter { name(of: $0) == answered }.flatMap { look(at: $0, at: now, asking: kernel) })
    }

    /// Somebody has tried to reach a host.
    public mutating func report(
        _ outcome: ReportedOutcome, for key: TargetKey, at now: UInt64, asking kernel: some Kernel
    ) -> [ReachabilityEffect] {
        let before = reports.summary(of: key)
        reports.take(outcome, for: key)
        guard reports.summary(of: key) != before, watched[key] != nil else { return finish([]) }
        return finish(look(at: key, at: now, asking: kernel))
    }

    /// A host as it is now, watched or not, and what was looked at. A name that nobody watches is not looked up: watch it,
    /// wait until its reason is `resolving` no longer, and ask then.
    public mutating func explain(
        _ key: TargetKey, asking kernel: some Kernel
    ) -> (target: TargetReachability, steps: [ReachabilityStep]) {
        let question = question(about: key)
        var finding = TargetEvaluator(routes: routes, costs: costs).evaluate(question, asking: kernel, links: &links)
        finding.target.generation = watched[key]?.telling.generation ?? 0
        let explanation = TargetExplanation(finding, of: question, asking: kernel, links: &links)
        return (finding.target, explanation.steps)
    }

    private func name(of key: TargetKey) -> NameBook.Key? {
        guard case .name(let name) = key.host else { return nil }
        return NameBook.Key(name: name, uid: key.uid)
    }
}
