import Location

extension ReachabilityState {
    /// Looks at the network, unless that was done too often of late: then later, and the event source wakes nobody until
    /// then.
    mutating func lookOrHold(
        at now: UInt64, asking kernel: some Kernel, lookingUpNames: Bool = false
    ) -> [ReachabilityEffect] {
        guard schedule == .open else { return lookingUpNames ? names.lookUpAll() : [] }
        guard budget.spend(at: now) else {
            schedule = .held(until: budget.next)
            holds += 1
            return (lookingUpNames ? names.lookUpAll() : []) + [.holdEvents]
        }
        return look(at: now, asking: kernel, lookingUpNames: lookingUpNames)
    }

    /// Looks at the network, and at everything that is watched.
    mutating func look(
        at now: UInt64, asking kernel: some Kernel, lookingUpNames: Bool = false
    ) -> [ReachabilityEffect] {
        evaluations += 1
        pathTelling?.take(announced)
        for key in watched.keys { watched[key]?.telling.take(announced) }
        announced = NetworkEvents()

        let routes = routes
        let kernel = OneLook(asking: kernel)
        let (path, isPathAnswered) = lookAtPath(by: routes, at: now, asking: kernel)
        // Names are looked up before hosts are judged: a gain waits for the answer.
        var effects = path + (lookingUpNames && !path.contains(where: \.isLookup) ? names.lookUpAll() : [])
        var isAnswered = isPathAnswered
        for key in watched.keys {
            let (told, isTargetAnswered) = lookAtTarget(key, by: routes, at: now, asking: kernel)
            effects += told
            isAnswered = isAnswered && isTargetAnswered
        }
        if isAnswered { unanswered.answered() } else { unanswered.missed(at: now) }
        return effects
    }

    private mutating func lookAtPath(
        by routes: RouteEvaluator, at now: UInt64, asking kernel: some Kernel
    ) -> (effects: [ReachabilityEffect], isAnswered: Bool) {
        let evaluator = PathEvaluator(routes: routes, costs: costs, nameServers: nameServers)
        let finding = evaluator.evaluate(asking: kernel, links: &links)
        pathDoubts = finding.doubts
        pathLookAgainAt = finding.lookAgainAfter.map { now.after($0) }
        guard pathTelling != nil else {
            let first =
                finding.isAnswered ? finding.path : NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering)
            let telling = Telling(damping(NetworkPath.self), first: first, uses: finding.isAnswered ? finding.uses : [])
            pathTelling = telling
            return (tell(first, generation: 0), finding.isAnswered)
        }
        // What was told holds until the kernel answers: that it does not is no loss of the network.
        guard finding.isAnswered else { return ([], false) }
        let told = pathTelling?.offer(finding.path, uses: finding.uses, at: now) ?? []
        return (pathChanged(told), true)
    }

    private mutating func lookAtTarget(
        _ key: TargetKey, by routes: RouteEvaluator, at now: UInt64, asking kernel: some Kernel
    ) -> (effects: [ReachabilityEffect], isAnswered: Bool) {
        guard var target = watched[key] else { return ([], true) }
        defer { watched[key] = target }
        let finding = TargetEvaluator(routes: routes, costs: costs).evaluate(
            question(about: key), asking: kernel, links: &links)
        target.doubts = finding.doubts
        target.lookAgainAt = finding.lookAgainAfter.map { now.after($0) }
        if !finding.isAnswered, !target.telling.told.isPreliminary, !unanswered.isLong(at: now) {
            return ([], false)
        }
        let told = target.telling.offer(
            finding.target, isCertain: !isLookingUp(key), uses: finding.uses, at: now)
        return (told.map { tell($0, key) }, finding.isAnswered)
    }

    /// Whether the name was asked for and its answer is awaited, without which no gain is told.
    private func isLookingUp(_ key: TargetKey) -> Bool {
        guard case .name(let name) = key.host else { return false }
        return names.isLookingUp(NameBook.Key(name: name, uid: key.uid))
    }

    /// What is to be found out about a host now.
    func question(about key: TargetKey) -> TargetQuestion {
        var resolution = Resolution.pending
        if case .name(let name) = key.host { resolution = names.resolution(of: NameBook.Key(name: name, uid: key.uid)) }
        return TargetQuestion(
            key: key, resolution: resolution,
            path: pathTelling?.told ?? NetworkPath(status: .unsatisfied, reason: .kernelNotAnswering),
            reports: reports.summary(of: key))
    }

    /// Looks at one watched host alone.
    mutating func look(at key: TargetKey, at now: UInt64, asking kernel: some Kernel) -> [ReachabilityEffect] {
        let (effects, isAnswered) = lookAtTarget(key, by: routes, at: now, asking: kernel)
        if !isAnswered { unanswered.missed(at: now) }
        return effects
    }

    /// Tells what has held long enough.
    mutating func settle(at now: UInt64, asking kernel: some Kernel) -> [ReachabilityEffect] {
        var effects = pathChanged(pathTelling?.timerFired(at: now) ?? [])
        let hasChanged = !effects.isEmpty
        let routes = routes
        for key in watched.keys {
            // Reports of the time before mean nothing now, and names are being looked up.
            if hasChanged { effects += lookAtTarget(key, by: routes, at: now, asking: kernel).effects }
            effects += (watched[key]?.telling.timerFired(at: now) ?? []).map { tell($0, key) }
        }
        return effects
    }

    /// What a change of the path brings with it.
    private mutating func pathChanged(_ told: [Telling<NetworkPath>.Told]) -> [ReachabilityEffect] {
        guard let last = told.last?.state else { return [] }
        var effects = told.flatMap { tell($0.state, generation: $0.generation) }
        reports.pathChanged()
        // Without any way there is nobody to ask; the addresses that are known are as good as before.
        if last.isUp || last.supportsDNS { effects += names.lookUpAll() }
        return effects
    }

    private mutating func tell(_ path: NetworkPath, generation: Int64) -> [ReachabilityEffect] {
        var numbered = path
        numbered.generation = generation
        let isRecorded =
            recordedPath?.status == path.status && recordedPath?.reason == path.reason
            && recordedPath?.interfaces.first == path.interfaces.first
        recordedPath = path
        return [.tellPath(numbered)] + (isRecorded ? [] : [.recordPath(numbered)])
    }

    private func tell(_ told: Telling<TargetReachability>.Told, _ key: TargetKey) -> ReachabilityEffect {
        var numbered = told.state
        numbered.generation = told.generation
        return .tellTarget(key, numbered)
    }
}

extension ReachabilityEffect {
    fileprivate var isLookup: Bool {
        if case .lookUp = self { true } else { false }
    }
}
