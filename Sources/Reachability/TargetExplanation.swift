import NetworkPaths

/// The steps of a host's evaluation, for a person.
public struct TargetExplanation: Equatable, Sendable {
    /// The steps, in their order.
    public private(set) var steps: [ReachabilityStep] = []

    /// Explains a finding, with further kernel queries that the evaluation itself did not need.
    public init(
        _ finding: TargetFinding, of query: TargetQuery, querying kernel: some Kernel, links: inout LinkBook
    ) {
        if case .name = query.key.host { explain(query.resolution) }
        if let verdict = finding.verdict, let address = finding.address {
            explain(verdict, to: address, uid: query.key.uid, querying: kernel, links: &links)
        }
        let reports = query.reports
        if reports != TargetReports.Summary() {
            let isBad = reports.isSuspect || reports.finding != nil
            steps.append(ReachabilityStep(.reports, isBad ? .bad : .unknown, "\(reports.failures)"))
        }
    }

    private mutating func explain(_ resolution: Resolution) {
        switch resolution {
        case .pending, .noAnswer: steps.append(ReachabilityStep(.name, .unknown))
        case .noSuchName: steps.append(ReachabilityStep(.name, .bad))
        case .addresses(let addresses):
            steps.append(ReachabilityStep(.name, .good, addresses.map { "\($0)" }.joined(separator: " ")))
        }
    }

    private mutating func explain(
        _ verdict: RouteVerdict, to address: HostAddress, uid: UInt32, querying kernel: some Kernel,
        links: inout LinkBook
    ) {
        guard verdict.outcome != .unanswered else {
            steps.append(ReachabilityStep(.route, .unknown))
            return
        }
        explainRule(verdict, to: address, uid: uid, querying: kernel)
        explainRoute(verdict, address.address.family, querying: kernel, links: &links)
        guard let link = verdict.link, !verdict.isLocal else { return }
        steps.append(ReachabilityStep(.interface, .good, link.name))
        let hasCarrier = verdict.outcome != .needsConnection(.noCarrier)
        steps.append(ReachabilityStep(.carrier, hasCarrier ? .good : .bad, link.isUp ? nil : "down"))
        explainSource(verdict, to: address.address, on: link, querying: kernel)
        explainGateway(verdict, on: link, querying: kernel)
    }

    private mutating func explainRule(
        _ verdict: RouteVerdict, to address: HostAddress, uid: UInt32, querying kernel: some Kernel
    ) {
        guard let rules = kernel.rules(address.address.family) else {
            steps.append(ReachabilityStep(.rule, .unknown))
            return
        }
        // With IPv6 the route is not queried again with a source.
        let packet = RuleExplanation.Packet(
            to: address.address, from: address.address.family == .ipv4 ? verdict.source : nil, uid: uid,
            outputInterface: address.zone == nil ? nil : verdict.link?.name)
        if let route = verdict.route {
            let answer = RuleExplanation.Answer.route(table: route.table, prefixLength: route.prefixLength)
            let explanation = RuleExplanation(rules, for: packet, answer: answer)
            let isCertain = explanation.isCertain && explanation.decisive != nil
            steps.append(ReachabilityStep(.rule, isCertain ? .good : .unknown, explanation.decisive?.words))
        } else if let reason = verdict.reason {
            // A refusing route is reported with the same errno as a refusing rule: if no rule fits, none is named.
            let explanation = RuleExplanation(rules, for: packet, answer: .refused(reason))
            if let rule = explanation.decisive { steps.append(ReachabilityStep(.rule, .bad, rule.words)) }
        }
    }

    private mutating func explainRoute(
        _ verdict: RouteVerdict, _ family: IPAddress.Family, querying kernel: some Kernel, links: inout LinkBook
    ) {
        guard let route = verdict.route else {
            steps.append(ReachabilityStep(.route, .bad))
            return
        }
        let indices = Set(route.nextHops.map(\.interface) + [route.resolved?.interface].compactMap(\.self))
        var names: [Int32: String] = [:]
        for index in indices { names[index] = links.link(index, querying: kernel)?.name }
        let words = route.words(family) { names[$0] ?? "if\($0)" }
        steps.append(ReachabilityStep(.route, UnreachableReason(refusing: route.kind) == nil ? .good : .bad, words))
    }

    private mutating func explainSource(
        _ verdict: RouteVerdict, to destination: IPAddress, on link: Link, querying kernel: some Kernel
    ) {
        if let source = verdict.source {
            steps.append(ReachabilityStep(.source, .good, "\(source)"))
        } else if verdict.outcome == .needsConnection(.addressTentative) {
            let coming = kernel.addresses(of: link.index)?.filter {
                $0.isTentative && !$0.isDuplicate && $0.address.family == destination.family
            }
            let words = (coming ?? []).map { "\($0.address)" } + ["tentative"]
            steps.append(ReachabilityStep(.source, .bad, words.joined(separator: " ")))
        } else if verdict.outcome == .needsConnection(.noAddress) {
            steps.append(ReachabilityStep(.source, .bad))
        }
    }

    private mutating func explainGateway(_ verdict: RouteVerdict, on link: Link, querying kernel: some Kernel) {
        guard let gateway = verdict.gateway else { return }
        let neighbour = kernel.neighbour(gateway, on: link.index)
        let outcome: ReachabilityStep.Outcome
        switch neighbour?.state {
        case .failed: outcome = verdict.outcome == .refused(.gatewayNotAnswering) ? .bad : .unknown
        case .incomplete, .some(.none), nil: outcome = .unknown
        case .reachable, .stale, .delay, .probe, .noARP, .permanent: outcome = .good
        }
        let state = neighbour.map { " \($0.state.rawValue)" } ?? ""
        steps.append(ReachabilityStep(.gateway, outcome, "\(gateway)\(state)"))
    }
}
