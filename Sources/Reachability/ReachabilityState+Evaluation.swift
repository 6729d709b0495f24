import Durations
import NetworkPaths

extension ReachabilityState {
    /// Looks at the network, unless that was done too often of late: then later, and the event source wakes nobody until
    /// then.
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

    /// How long after a look that something taken away has brought there is another one. Nobody waits for it.
    private static let confirmPause: UInt64 = 20_000_000

    /// Looks at the network again, once what was being taken away is. It comes after a look that the budget has paid for.
    mutating func confirm(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        kernel.awaitChanges()
        return pass(at: now, querying: kernel)
    }

    /// Looks at the network, and at everything that is watched. A look that pauses stops where it has something to tell,
    /// with `continueEvaluation` as its last effect.
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
        // Of a look that this one takes the place of remains what was to be done besides.
        if let later = unfinished?.later { pass.later = later }
        unfinished = nil
        return goOn(with: pass, at: now, querying: kernel, pausing: pausing)
    }

    /// Remembers what was lost of that which was told.
    mutating func interrupt(by events: NetworkEvents, unreportedSince: UInt64? = nil) {
        pathReporter?.apply(events, unreportedSince: unreportedSince)
        // In place: a loop over the dictionary would keep a copy of it.
        var index = watched.startIndex
        while index != watched.endIndex {
            watched.values[index].reporter.apply(events, unreportedSince: unreportedSince)
            watched.formIndex(after: &index)
        }
    }

    /// Goes on with a look that has paused.
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
                // Names are looked up before hosts are judged: a gain waits for the answer.
                if pass.looksUpNames, !effects[before...].contains(where: \.isLookup) { effects += names.lookUpAll() }
            case .hosts:
                evaluateTargets(for: &pass, querying: one, at: now, into: &effects) { _, _ in true }
            }
            scripts[part] = one.nextScript
            if pausing, effects.contains(where: \.isReported), hasMore(pass) {
                // To look up a name may start a process.
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

    /// Whether there is anything left to look at.
    private func hasMore(_ pass: EvaluationPass) -> Bool {
        pass.parts.contains(.path)
            || pass.parts.contains(.hosts) && watched.values.contains { $0.evaluatedAt != evaluations }
    }

    /// Looks at the hosts that are chosen and were not looked at before in this look.
    private mutating func evaluateTargets(
        for pass: inout EvaluationPass, querying kernel: QuerySnapshot, at now: UInt64,
        into effects: inout [ReachabilityEffect],
        where isChosen: (ReachabilityState, TargetKey) -> Bool
    ) {
        // In place: a loop over the dictionary would keep a copy of it.
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

    /// Whether what is thought of a host changes with the path: it has a name, which may have to be looked up anew, or
    /// reports, which count until the path changes.
    private func hangsOnPath(_ key: TargetKey) -> Bool {
        if case .name = key.host { return true }
        return reports.summary(of: key) != TargetReports.Summary()
    }

    /// Returns whether the kernel answered.
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
        // What was told holds until the kernel answers: that it does not is no loss of the network.
        guard finding.isAnswered else { return false }
        pathChanged(pathReporter?.offer(finding.path, uses: finding.uses, at: now) ?? [], into: &effects)
        return true
    }

    /// Returns whether the kernel answered.
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

    /// Whether the path that was told leads over the interface that this one is over.
    private func isUsed(_ path: NetworkPath) -> Bool {
        guard let reported = pathReporter?.reported, reported.isUp else { return false }
        return reported.interfaces.first?.index == path.interfaces.first?.index
    }

    /// Keeps a way to a host back of which it is not known what it costs, unless who watches was told of it or of the path
    /// over the same interface.
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

    /// Whether the name was asked for and its answer is awaited, without which no gain is told.
    private func isLookingUp(_ key: TargetKey) -> Bool {
        guard case .name(let name) = key.host else { return false }
        return names.isLookingUp(NameBook.Key(name: name, uid: key.uid))
    }

    /// What is to be found out about a host now.
    func query(about key: TargetKey) -> TargetQuery {
        var resolution = Resolution.pending
        if case .name(let name) = key.host { resolution = names.resolution(of: NameBook.Key(name: name, uid: key.uid)) }
        return TargetQuery(
            key: key, resolution: resolution,
            path: pathReporter?.reported ?? NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering),
            reports: reports.summary(of: key))
    }

    /// Looks at one watched host alone.
    mutating func pass(at key: TargetKey, at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        var effects: [ReachabilityEffect] = []
        guard let index = watched.index(forKey: key) else { return effects }
        if !evaluateTarget(index, by: routes, at: now, querying: QuerySnapshot(querying: kernel), into: &effects) {
            unanswered.missed(at: now)
        }
        return effects
    }

    /// Tells what has held long enough.
    mutating func settle(at now: UInt64, querying kernel: some Kernel) -> [ReachabilityEffect] {
        var effects: [ReachabilityEffect] = []
        pathChanged(pathReporter?.timerFired(at: now) ?? [], into: &effects)
        let hasChanged = !effects.isEmpty
        let routes = routes
        let kernel = QuerySnapshot(querying: kernel)
        var index = watched.startIndex
        while index != watched.endIndex {
            // Reports of the time before mean nothing now, and names are being looked up.
            if hasChanged { _ = evaluateTarget(index, by: routes, at: now, querying: kernel, into: &effects) }
            for one in watched.values[index].reporter.timerFired(at: now) {
                effects.append(notify(one, watched[index].key))
            }
            watched.formIndex(after: &index)
        }
        return effects
    }

    /// What a change of the path brings with it.
    private mutating func pathChanged(
        _ reported: [StateReporter<NetworkPath>.NumberedState], into effects: inout [ReachabilityEffect]
    ) {
        guard let last = reported.last?.state else { return }
        for one in reported { notify(one.state, generation: one.generation, into: &effects) }
        reports.pathChanged()
        // Without any way there is nobody to ask; the addresses that are known are as good as before.
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

/// A look at the network that has begun.
struct EvaluationPass: Sendable {
    /// What is looked at together.
    enum Part: Sendable {
        /// The hosts that the path has no part in.
        case apartHosts
        /// The path.
        case path
        /// All hosts that were not looked at yet.
        case hosts
    }

    /// How addresses are judged: by what was thought of routers before the look.
    let routes: RouteEvaluator
    /// What is still to be looked at.
    var parts: ArraySlice<Part>
    /// Whether there is nothing that suggests there might be no way.
    var expectsRoute = true
    /// Whether names are to be looked up anew, whatever the path.
    var looksUpNames = false
    /// Whether the kernel has answered everything so far.
    var isAnswered = true
    /// What is to be done once everybody was told.
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
