import NetworkPaths

/// Judges the way to the rest of the world.
public struct PathEvaluator: Sendable {
    /// How single addresses are judged.
    public var routes: RouteEvaluator
    /// What sending costs.
    public var costs: CostPolicy
    /// The name servers, at most so many as are looked at.
    public var nameServers: [HostAddress]

    /// glibc reads three; other resolvers read more.
    static let maximumNameServers = 8

    /// An evaluator of these parts.
    public init(
        routes: RouteEvaluator = RouteEvaluator(), costs: CostPolicy = CostPolicy(), nameServers: [HostAddress] = []
    ) {
        self.routes = routes
        self.costs = costs
        self.nameServers = nameServers
    }

    /// The path now.
    public func evaluate(querying kernel: some Kernel, links: inout LinkBook) -> PathFinding {
        let ipv4 = defaultRoute(.ipv4, querying: kernel, links: &links)
        let ipv6 = defaultRoute(.ipv6, querying: kernel, links: &links)
        var finding = PathFinding(path: NetworkPath(status: .unsatisfied), isAnswered: true, uses: [], doubts: [:])
        finding.path.supportsIPv4 = ipv4.isUsable
        finding.path.supportsIPv6 = ipv6.isUsable
        if ipv4.isUsable || ipv6.isUsable {
            finding.path.status = .satisfied
        } else {
            let best = ipv6.precedence > ipv4.precedence ? ipv6.outcome : ipv4.outcome
            if case .needsConnection = best { finding.path.status = .requiresConnection }
            finding.path.reason = best.reason
        }
        note(ipv4, in: &finding)
        note(ipv6, in: &finding)
        // Where nothing is sent, what could be sent another way is of no use.
        if finding.path.status != .unsatisfied { checkOtherRoutes(for: &finding, querying: kernel, links: &links) }
        checkNameServers(for: &finding, querying: kernel, links: &links)
        return finding
    }

    private func note(_ candidate: DefaultRoute, in finding: inout PathFinding) {
        let isShown = candidate.status == finding.path.status && candidate.status != .unsatisfied
        for index in candidate.verdicts.indices {
            if isShown { show(candidate.verdicts[index], in: &finding.path) }
            finding.note(candidate.verdicts[index])
            if candidate.isUsable, let link = candidate.verdicts[index].link {
                finding.uses.insert(
                    RouteUse(family: candidate.family, interface: link.index, source: candidate.verdicts[index].source))
            }
        }
        if case .unanswered = candidate.outcome { finding.isAnswered = false }
    }

    /// Adds the interface and the router of a way to those of the path.
    private func show(_ verdict: borrowing RouteVerdict, in path: inout NetworkPath) {
        if let link = verdict.link, !path.interfaces.contains(where: { $0.index == link.index }) {
            path.interfaces.append(costs.describe(link))
        }
        if let gateway = verdict.gateway, !path.gateways.contains(gateway) { path.gateways.append(gateway) }
    }

    /// Whether there is a way to a name server. One on this machine has to ask others itself, so it is as good as the path.
    private func checkNameServers(
        for finding: inout PathFinding, querying kernel: some Kernel, links: inout LinkBook
    ) {
        for server in nameServers.prefix(Self.maximumNameServers) {
            let verdict = routes.evaluate(server, querying: kernel, links: &links)
            finding.note(verdict)
            switch verdict.outcome {
            case .usable where !verdict.isLocal || finding.path.status == .satisfied:
                finding.path.supportsDNS = true
                return
            case .unanswered: finding.isAnswered = false
            default: break
            }
        }
    }

    /// The way of a family: through all of the destinations that stand for the world, so that it is no better than the
    /// worst.
    private func defaultRoute(
        _ family: IPAddress.Family, through interface: Int32? = nil, querying kernel: some Kernel, links: inout LinkBook
    ) -> DefaultRoute {
        let destinations = DefaultDestinations.of(family)
        var verdicts: [RouteVerdict] = []
        verdicts.reserveCapacity(destinations.count)
        for destination in destinations {
            let query = RouteQuery(destination, interface: interface)
            verdicts.append(routes.evaluate(query, querying: kernel, links: &links))
            // Most interfaces lead nowhere: one question finds that. And nothing is worse than to be refused.
            let last = verdicts.count - 1
            if interface != nil ? !verdicts[last].isUsable : verdicts[last].isFinal { break }
        }
        return DefaultRoute(family: family, verdicts: verdicts)
    }

    /// Adds the other interfaces that have a way to the world, the one with the smallest metric first.
    private func checkOtherRoutes(for finding: inout PathFinding, querying kernel: some Kernel, links: inout LinkBook) {
        guard let all = links.all(querying: kernel) else { return finding.isAnswered = false }
        let used = finding.path.interfaces
        var alternatives: [OtherRoute] = []
        var count = 0
        for position in all.indices where count < RouteEvaluator.maximumOthers {
            let index = all[position].index
            guard InterfaceClassifier.mayLeadOut(all[position]), !used.contains(where: { $0.index == index }) else {
                continue
            }
            count += 1
            for family in IPAddress.Family.allCases {
                let candidate = defaultRoute(family, through: index, querying: kernel, links: &links)
                guard candidate.isUsable, let verdict = candidate.verdicts.first, verdict.link?.index == index else {
                    // It is a way again when its router may be tried.
                    for verdict in candidate.verdicts { finding.note(verdict) }
                    continue
                }
                alternatives.append(OtherRoute(verdict: verdict, metric: verdict.route?.metric ?? 0, index: index))
            }
        }
        if alternatives.count > 1 { alternatives.sort { ($0.metric, $0.index) < ($1.metric, $1.index) } }
        for candidate in alternatives {
            show(candidate.verdict, in: &finding.path)
            finding.note(candidate.verdict)
        }
    }
}

/// A way to the world that is not in use.
private struct OtherRoute {
    var verdict: RouteVerdict
    var metric: UInt32
    var index: Int32
}

/// The way to the world with one version of the protocol.
private struct DefaultRoute {
    let family: IPAddress.Family
    let verdicts: [RouteVerdict]
    /// That of the worst.
    let outcome: RouteVerdict.Outcome

    init(family: IPAddress.Family, verdicts: [RouteVerdict]) {
        self.family = family
        self.verdicts = verdicts
        var worst: (rank: Int, outcome: RouteVerdict.Outcome) = (Int.max, .unanswered)
        for index in verdicts.indices where verdicts[index].rank < worst.rank {
            worst = (verdicts[index].rank, verdicts[index].outcome)
        }
        outcome = worst.outcome
    }

    var isUsable: Bool {
        if case .usable = outcome { true } else { false }
    }

    var status: NetworkPath.Status {
        switch outcome {
        case .usable: .satisfied
        case .needsConnection: .requiresConnection
        case .refused, .unanswered: .unsatisfied
        }
    }

    /// How much its reason counts where no family has a way: that there is no route says least, as machines without
    /// version 6 are many.
    var precedence: Int {
        switch outcome {
        case .usable: 4
        case .needsConnection: 3
        case .refused(.noRoute): 0
        case .refused: 2
        case .unanswered: 1
        }
    }
}
