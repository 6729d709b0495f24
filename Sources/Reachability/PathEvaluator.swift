import Location

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
    /// So many interfaces besides those in use are asked for a default route of their own. Those with the smallest
    /// numbers, which were there first: a machine with containers has hundreds that lead to one of these each.
    static let maximumOthers = 64

    /// An evaluator of these parts.
    public init(
        routes: RouteEvaluator = RouteEvaluator(), costs: CostPolicy = CostPolicy(), nameServers: [HostAddress] = []
    ) {
        self.routes = routes
        self.costs = costs
        self.nameServers = nameServers
    }

    /// The path now.
    public func evaluate(asking kernel: some Kernel, links: inout LinkBook) -> PathFinding {
        let ways = IPAddress.Family.allCases.map { defaultWay($0, asking: kernel, links: &links) }
        var path = NetworkPath(status: .unsatisfied)
        if ways.contains(where: { $0.outcome == .usable }) {
            path.status = .satisfied
        } else if let best = ways.max(by: { $0.precedence < $1.precedence }) {
            if case .needsConnection = best.outcome { path.status = .requiresConnection }
            path.reason = best.reason
        }
        path.supportsIPv4 = ways.contains { $0.family == .ipv4 && $0.outcome == .usable }
        path.supportsIPv6 = ways.contains { $0.family == .ipv6 && $0.outcome == .usable }

        let counting = ways.filter { $0.status == path.status && path.status != .unsatisfied }.flatMap(\.verdicts)
        // Where nothing is sent, what could be sent another way is of no use.
        let used = Set(counting.compactMap { $0.link?.index })
        let others = path.status == .unsatisfied ? [] : otherWays(besides: used, asking: kernel, links: &links)
        let shown = counting + (others?.map(\.verdict) ?? [])
        path.interfaces = unique(shown.compactMap(\.link).map(costs.describe))
        path.gateways = unique(shown.compactMap(\.gateway))

        var finding = PathFinding(
            path: path, isAnswered: others != nil && !ways.contains { $0.outcome == .unanswered },
            uses: Set(ways.filter { $0.outcome == .usable }.flatMap(\.uses)), doubts: [:])
        var judged = ways.flatMap(\.verdicts) + (others?.map(\.verdict) ?? [])
        judged += lookAtNameServers(for: &finding, asking: kernel, links: &links)
        for verdict in judged { finding.doubts.merge(verdict.doubts) { $1 } }
        finding.lookAgainAfter = judged.compactMap(\.lookAgainAfter).min()
        return finding
    }

    /// Whether there is a way to a name server. One on this machine has to ask others itself, so it is as good as the path.
    private func lookAtNameServers(
        for finding: inout PathFinding, asking kernel: some Kernel, links: inout LinkBook
    ) -> [RouteVerdict] {
        var judged: [RouteVerdict] = []
        for server in nameServers.prefix(Self.maximumNameServers) {
            let verdict = routes.judge(server, asking: kernel, links: &links)
            judged.append(verdict)
            switch verdict.outcome {
            case .usable where !verdict.isLocal || finding.path.status == .satisfied:
                finding.path.supportsDNS = true
                return judged
            case .unanswered: finding.isAnswered = false
            default: break
            }
        }
        return judged
    }

    /// The way of a family: through all of the destinations that stand for the world, so that it is no better than the
    /// worst.
    private func defaultWay(
        _ family: IPAddress.Family, through interface: Int32? = nil, asking kernel: some Kernel, links: inout LinkBook
    ) -> DefaultWay {
        var verdicts: [RouteVerdict] = []
        for destination in DefaultDestinations.of(family) {
            let question = RouteQuestion(destination, interface: interface)
            verdicts.append(routes.judge(question, asking: kernel, links: &links))
            // Most interfaces lead nowhere: one question finds that. And nothing is worse than to be refused.
            if let verdict = verdicts.last, interface != nil ? verdict.outcome != .usable : verdict.isFinal { break }
        }
        return DefaultWay(family: family, verdicts: verdicts)
    }

    /// The other interfaces that have a way to the world, the one with the smallest metric first; nil without an answer.
    private func otherWays(
        besides used: Set<Int32>, asking kernel: some Kernel, links: inout LinkBook
    ) -> [OtherWay]? {
        guard let all = links.all(asking: kernel) else { return nil }
        var ways: [OtherWay] = []
        let candidates = all.lazy.filter { link in
            link.isUp && link.isRunning && link.controller == nil && !used.contains(link.index)
                && InterfaceClassifier.kind(of: link) != .loopback
        }
        for link in candidates.prefix(Self.maximumOthers) {
            for family in IPAddress.Family.allCases {
                let way = defaultWay(family, through: link.index, asking: kernel, links: &links)
                guard way.outcome == .usable, let verdict = way.verdicts.first, verdict.link?.index == link.index else {
                    continue
                }
                ways.append(OtherWay(verdict: verdict, metric: verdict.route?.metric ?? 0, index: link.index))
            }
        }
        return ways.sorted { ($0.metric, $0.index) < ($1.metric, $1.index) }
    }

    private func unique<Element: Hashable>(_ elements: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return elements.filter { seen.insert($0).inserted }
    }
}

/// A way to the world that is not in use.
private struct OtherWay {
    var verdict: RouteVerdict
    var metric: UInt32
    var index: Int32
}

/// The way to the world with one version of the protocol.
private struct DefaultWay {
    let family: IPAddress.Family
    let verdicts: [RouteVerdict]
    /// Those of the worst.
    let outcome: RouteVerdict.Outcome
    let reason: UnreachableReason?

    init(family: IPAddress.Family, verdicts: [RouteVerdict]) {
        self.family = family
        self.verdicts = verdicts
        let worst = verdicts.min { $0.rank < $1.rank }
        outcome = worst?.outcome ?? .unanswered
        reason = worst?.reason
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

    var uses: [RouteUse] {
        verdicts.compactMap { verdict in
            verdict.link.map { RouteUse(family: family, interface: $0.index, source: verdict.source) }
        }
    }
}
