import Durations
import NetworkPaths

extension ReachabilityState {
    /// Evaluates the network now, or later if the budget is exhausted. Until then announcements do not wake the daemon.
    mutating func evaluateOrHold(
        at now: UInt64, querying kernel: some Kernel, lookingUpNames: Bool = false, pausing: Bool = false
    ) -> [ReachabilityEffect] {
        guard schedule == .open else { return lookingUpNames ? names.lookUpAll() : [] }
        guard budget.spend(at: now) else {
            schedule = .held(until: budget.next)
            holds += 1
            return (lookingUpNames ? names.lookUpAll() : []) + [.holdEvents]
        }
        return pass(at: now, querying: kernel, lookingUpNames: lookingUpNames, pausing: pausing)
    }

    /// The delay in nanoseconds between an evaluation caused by a removal and the evaluation that confirms it. No
    /// client waits for the latter.
    private static let confirmPause: UInt64 = 20_000_000

    /// Evaluates the network again, once a removal is complete. The budget was charged by the evaluation before.
    mutating func confirm(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        kernel.awaitChanges()
        return pass(at: now, querying: kernel)
    }

    /// Evaluates the path and every watched host. With `pausing`, the evaluation stops as soon as it has something to
    /// report, with `continueEvaluation` as its last effect.
    mutating func pass(
        at now: UInt64, querying kernel: some Kernel, lookingUpNames: Bool = false, pausing: Bool = false
    ) -> [ReachabilityEffect] {
        evaluations += 1
        if announced.hasLosses { interrupt(by: announced) }
        confirmAt = announced.indicatesLoss ? now + Self.confirmPause : nil
        var pass = EvaluationPass(
            routes: routes, parts: isPathWatched ? [.path, .hosts] : [.apartHosts, .path, .hosts])
        pass.expectsRoute = !announced.hasRemovals
        announced = NetworkEvents()
        pass.looksUpNames = lookingUpNames
        // The deferred effects of an evaluation that this one replaces still have to be carried out.
        if let later = unfinished?.later { pass.later = later }
        unfinished = nil
        return goOn(with: pass, at: now, querying: kernel, pausing: pausing)
    }

    /// Records which reported routes were interrupted.
    mutating func interrupt(by events: NetworkEvents, unreportedSince: UInt64? = nil) {
        pathReporter?.apply(events, unreportedSince: unreportedSince)
        // In place: a loop over the dictionary would retain a copy of it.
        var index = watched.startIndex
        while index != watched.endIndex {
            watched.values[index].reporter.apply(events, unreportedSince: unreportedSince)
            watched.formIndex(after: &index)
        }
    }

    /// Continues a paused evaluation.
    mutating func goOn(
        with begun: EvaluationPass, at now: UInt64, querying kernel: some Kernel, pausing: Bool
    ) -> [ReachabilityEffect] {
        var pass = begun
        var effects: [ReachabilityEffect] = []
        while let part = pass.parts.popFirst() {
            if part != .path, watched.isEmpty { continue }
            let one = QuerySnapshot(
                querying: kernel, by: scripts[part] ?? QueryPlan(), expectingRoute: pass.expectsRoute)
            switch part {
            case .apartHosts:
                evaluateTargets(for: &pass, querying: one, at: now, into: &effects) { !$0.hangsOnPath($1) }
            case .path:
                let before = effects.count
                let isAnswered = evaluatePath(by: pass.routes, at: now, querying: one, into: &effects)
                pass.isAnswered = pass.isAnswered && isAnswered
                // Names are looked up before hosts are evaluated: a gain is delayed until the lookup ends.
                if pass.looksUpNames, !effects[before...].contains(where: \.isLookup) { effects += names.lookUpAll() }
            case .hosts:
                evaluateTargets(for: &pass, querying: one, at: now, into: &effects) { _, _ in true }
            }
            scripts[part] = one.nextScript
            if pausing, effects.contains(where: \.isReported), hasMore(pass) {
                // A lookup may start a process, so it comes after the reports.
                if effects.contains(where: \.isLookup) {
                    pass.later += effects.filter(\.isLookup)
                    effects.removeAll(where: \.isLookup)
                }
                unfinished = pass
                effects.append(.continueEvaluation)
                return effects
            }
        }
        if pass.isAnswered { unanswered.answered() } else { unanswered.missed(at: now) }
        return pass.later.isEmpty ? effects : effects + pass.later
    }

    /// Whether anything is left to evaluate.
    private func hasMore(_ pass: EvaluationPass) -> Bool {
        pass.parts.contains(.path)
            || pass.parts.contains(.hosts) && watched.values.contains { $0.evaluatedAt != evaluations }
    }

    /// Evaluates the selected hosts that this evaluation has not included yet.
    private mutating func evaluateTargets(
        for pass: inout EvaluationPass, querying kernel: QuerySnapshot, at now: UInt64,
        into effects: inout [ReachabilityEffect],
        where isChosen: (ReachabilityState, TargetKey) -> Bool
    ) {
        // In place: a loop over the dictionary would retain a copy of it.
        var index = watched.startIndex
        while index != watched.endIndex {
            if watched.values[index].evaluatedAt != evaluations, isChosen(self, watched[index].key) {
                watched.values[index].evaluatedAt = evaluations
                let isAnswered = evaluateTarget(index, by: pass.routes, at: now, querying: kernel, into: &effects)
                pass.isAnswered = pass.isAnswered && isAnswered
            }
            watched.formIndex(after: &index)
        }
    }

    /// Whether a host's state depends on the path: it has a name, which may have to be looked up again, or reports,
    /// which count until the path changes.
    private func hangsOnPath(_ key: TargetKey) -> Bool {
        if case .name = key.host { return true }
        return reports.summary(of: key) != TargetReports.Summary()
    }

    /// Evaluates the path. Returns whether the kernel replied.
    private mutating func evaluatePath(
        by routes: RouteEvaluator, at now: UInt64, querying kernel: QuerySnapshot,
        into effects: inout [ReachabilityEffect]
    ) -> Bool {
        let evaluator = PathEvaluator(routes: routes, costs: costs, nameServers: nameServers)
        var finding = evaluator.evaluate(querying: kernel, links: &links)
        if finding.path.isUp, costWait.withholds(finding.path.interfaces.first, isUsed: isUsed(finding.path), at: now) {
            (finding.path, finding.uses) = (finding.path.withheld, [])
        }
        pathDoubts = finding.doubts
        pathRecheckAt = finding.recheckAfter.map { now.after($0) }
        guard pathReporter != nil else {
            let first =
                finding.isAnswered ? finding.path : NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering)
            let reporter = StateReporter(
                damping(NetworkPath.self), first: first, uses: finding.isAnswered ? finding.uses : [], at: now)
            pathReporter = reporter
            notify(first, generation: 0, into: &effects)
            return finding.isAnswered
        }
        // The last report stays valid until the kernel replies: a missing reply is no loss of the network.
        guard finding.isAnswered else { return false }
        pathChanged(pathReporter?.offer(finding.path, uses: finding.uses, at: now) ?? [], into: &effects)
        return true
    }

    /// Evaluates one watched host. Returns whether the kernel replied.
    private mutating func evaluateTarget(
        _ index: Dictionary<TargetKey, WatchedTarget>.Index, by routes: RouteEvaluator, at now: UInt64,
        querying kernel: QuerySnapshot, into effects: inout [ReachabilityEffect]
    ) -> Bool {
        let key = watched[index].key
        let query = query(about: key)
        var finding = TargetEvaluator(routes: routes, costs: costs).evaluate(query, querying: kernel, links: &links)
        withhold(&finding, reported: watched.values[index].reporter.reported, at: now)
        let isCertain = !isLookingUp(key)
        let isLong = unanswered.isLong(at: now)
        watched.values[index].doubts = finding.doubts
        watched.values[index].recheckAt = finding.recheckAfter.map { now.after($0) }
        if !finding.isAnswered, !watched.values[index].reporter.reported.isPreliminary, !isLong { return false }
        let reported = watched.values[index].reporter.offer(
            finding.target, isCertain: isCertain, uses: finding.uses, at: now)
        for one in reported { effects.append(notify(one, key)) }
        return finding.isAnswered
    }

    /// Whether the reported path uses the same interface as this one.
    private func isUsed(_ path: NetworkPath) -> Bool {
        guard let reported = pathReporter?.reported, reported.isUp else { return false }
        return reported.interfaces.first?.index == path.interfaces.first?.index
    }

    /// Withholds a host whose cost of sending is unknown, unless the reported state of this host or the reported path
    /// uses the same interface.
    mutating func withhold(_ finding: inout TargetFinding, reported: TargetReachability?, at now: UInt64) {
        let target = finding.target
        guard target.isUp, !target.isLocal, let interface = target.interface else { return }
        let users = [
            reported?.isUp == true ? reported?.interface : nil, path?.isUp == true ? path?.interfaces.first : nil,
        ]
        let isUsed = users.contains { $0?.index == interface.index }
        guard costWait.withholds(interface, isUsed: isUsed, at: now) else { return }
        (finding.target, finding.uses) = (target.withheld, [])
    }

    /// Whether a lookup of the host's name is running. A gain is reported only after it.
    private func isLookingUp(_ key: TargetKey) -> Bool {
        guard case .name(let name) = key.host else { return false }
        return names.isLookingUp(NameBook.Key(name: name, uid: key.uid))
    }

    /// The input for evaluating a host now.
    func query(about key: TargetKey) -> TargetQuery {
        var resolution = Resolution.pending
        if case .name(let name) = key.host { resolution = names.resolution(of: NameBook.Key(name: name, uid: key.uid)) }
        return TargetQuery(
            key: key, resolution: resolution,
            path: pathReporter?.reported ?? NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering),
            reports: reports.summary(of: key))
    }

    /// Evaluates one watched host alone.
    mutating func pass(at key: TargetKey, at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        var effects: [ReachabilityEffect] = []
        guard let index = watched.index(forKey: key) else { return effects }
        if !evaluateTarget(index, by: routes, at: now, querying: QuerySnapshot(querying: kernel), into: &effects) {
            unanswered.missed(at: now)
        }
        return effects
    }

    /// Reports the states that have lasted long enough.
    mutating func settle(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        var effects: [ReachabilityEffect] = []
        pathChanged(pathReporter?.timerFired(at: now) ?? [], into: &effects)
        let hasChanged = !effects.isEmpty
        let routes = routes
        let kernel = QuerySnapshot(querying: kernel)
        var index = watched.startIndex
        while index != watched.endIndex {
            // Outcomes reported before the path changed no longer count, and names are being looked up.
            if hasChanged { _ = evaluateTarget(index, by: routes, at: now, querying: kernel, into: &effects) }
            for one in watched.values[index].reporter.timerFired(at: now) {
                effects.append(notify(one, watched[index].key))
            }
            watched.formIndex(after: &index)
        }
        return effects
    }

    /// Reports a change of the path, and looks names up again if the path has a use for that.
    private mutating func pathChanged(
        _ reported: [StateReporter<NetworkPath>.NumberedState], into effects: inout [ReachabilityEffect]
    ) {
        guard let last = reported.last?.state else { return }
        for one in reported { notify(one.state, generation: one.generation, into: &effects) }
        reports.pathChanged()
        // Without a path no name server can be reached; the known addresses stay valid.
        if last.isUp || last.supportsDNS { effects += names.lookUpAll() }
    }

    private mutating func notify(
        _ path: NetworkPath, generation: Int64, into effects: inout [ReachabilityEffect]
    ) {
        var numbered = path
        numbered.generation = generation
        let isRecorded =
            recordedPath?.status == path.status && recordedPath?.reason == path.reason
            && recordedPath?.interfaces.first == path.interfaces.first
        recordedPath = path
        effects.append(.reportPath(numbered))
        if !isRecorded { effects.append(.recordPath(numbered)) }
    }

    private func notify(_ reported: StateReporter<TargetReachability>.NumberedState, _ key: TargetKey)
        -> ReachabilityEffect
    {
        var numbered = reported.state
        numbered.generation = reported.generation
        return .reportTarget(key, numbered)
    }
}

/// An evaluation of the network that has begun.
struct EvaluationPass: Sendable {
    /// A part of an evaluation.
    enum Part: Sendable {
        /// The hosts that do not depend on the path.
        case apartHosts
        /// The path.
        case path
        /// All hosts that are not evaluated yet.
        case hosts
    }

    /// The evaluator for single addresses, with the doubts about routers from before this evaluation.
    let routes: RouteEvaluator
    /// The parts that are still to be evaluated.
    var parts: ArraySlice<Part>
    /// Whether the announcements give no reason to expect that there is no route.
    var expectsRoute = true
    /// Whether to look names up again, whatever the path.
    var looksUpNames = false
    /// Whether the kernel has replied to everything so far.
    var isAnswered = true
    /// The effects that are deferred until everything has been reported.
    var later: [ReachabilityEffect] = []
}

extension ReachabilityEffect {
    fileprivate var isLookup: Bool {
        if case .lookUp = self { true } else { false }
    }

    fileprivate var isReported: Bool {
        switch self {
        case .reportPath, .reportTarget: true
        default: false
        }
    }
}
