import NetworkPaths

/// Evaluates the path to the rest of the world.
public struct PathEvaluator: Sendable {
    /// The evaluator for single addresses.
    public var routes: RouteEvaluator
    /// The cost of sending.
    public var costs: CostPolicy
    /// The name servers, of which at most `maximumNameServers` are evaluated.
    public var nameServers: [HostAddress]

    /// glibc uses three; other resolvers use more.
    static let maximumNameServers = 8

    /// Creates an evaluator.
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
        // If nothing can be sent, alternatives to the path in use are of no interest.
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

    /// Adds the interface and the router of a route to those of the path.
    private func show(_ verdict: borrowing RouteVerdict, in path: inout NetworkPath) {
        if let link = verdict.link, !path.interfaces.contains(where: { $0.index == link.index }) {
            path.interfaces.append(costs.describe(link))
        }
        if let gateway = verdict.gateway, !path.gateways.contains(gateway) { path.gateways.append(gateway) }
    }

    /// Sets whether a name server can be reached. A name server on this machine has to query others, so it counts only
    /// if the path is satisfied.
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

    /// The default route of a family. It consists of the routes to all destinations that represent the world, so it is
    /// as good as the worst of them.
    private func defaultRoute(
        _ family: IPAddress.Family, through interface: Int32? = nil, querying kernel: some Kernel, links: inout LinkBook
    ) -> DefaultRoute {
        let destinations = DefaultDestinations.of(family)
        var verdicts: [RouteVerdict] = []
        verdicts.reserveCapacity(destinations.count)
        for destination in destinations {
            let query = RouteQuery(destination, interface: interface)
            verdicts.append(routes.evaluate(query, querying: kernel, links: &links))
            // Most interfaces lead nowhere, and one query shows that. A final refusal cannot be outranked by a worse
            // one.
            let last = verdicts.count - 1
            if interface != nil ? !verdicts[last].isUsable : verdicts[last].isFinal { break }
        }
        return DefaultRoute(family: family, verdicts: verdicts)
    }

    /// Adds the other interfaces that have a route to the world, the one with the smallest metric first.
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
                    // It becomes usable again when its router may be tried.
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

/// A route to the world that is not in use.
private struct OtherRoute {
    var verdict: RouteVerdict
    var metric: UInt32
    var index: Int32
}

/// The route to the world with one IP version.
private struct DefaultRoute {
    let family: IPAddress.Family
    let verdicts: [RouteVerdict]
    /// The outcome of the worst route.
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

    /// The weight of the reason if no family has a route. A missing route says least, because many machines have no
    /// IPv6.
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
