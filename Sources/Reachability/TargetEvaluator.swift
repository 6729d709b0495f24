import NetworkPaths

/// The input for evaluating one host.
public struct TargetQuery: Sendable {
    /// The host.
    public var key: TargetKey
    /// The resolution of its name; ignored for addresses.
    public var resolution: Resolution
    /// The path, which explains why a name could not be looked up.
    public var path: NetworkPath
    /// The outcomes that clients have reported.
    public var reports: TargetReports.Summary

    /// Creates an input.
    public init(
        key: TargetKey, resolution: Resolution = .pending, path: NetworkPath,
        reports: TargetReports.Summary = TargetReports.Summary()
    ) {
        self.key = key
        self.resolution = resolution
        self.path = path
        self.reports = reports
    }
}

/// Evaluates hosts: all addresses of a host, of which the best one counts.
public struct TargetEvaluator: Sendable {
    /// The evaluator for single addresses.
    public var routes: RouteEvaluator
    /// The cost of sending.
    public var costs: CostPolicy

    /// Creates an evaluator.
    public init(routes: RouteEvaluator = RouteEvaluator(), costs: CostPolicy = CostPolicy()) {
        self.routes = routes
        self.costs = costs
    }

    /// The state of a host now.
    public func evaluate(
        _ query: TargetQuery, querying kernel: some Kernel, links: inout LinkBook
    ) -> TargetFinding {
        let (key, path) = (query.key, query.path)
        let addresses: [HostAddress]
        switch key.host {
        case .address(let address): addresses = [address]
        case .name:
            switch query.resolution {
            case .addresses(let known): addresses = known
            case .pending: return withoutAddress(key, .unknown, .resolving)
            case .noSuchName: return withoutAddress(key, .unreachable, .nameNotFound)
            case .noAnswer:
                switch path.status {
                case .satisfied: return withoutAddress(key, .unknown, .nameServerNotAnswering)
                case .requiresConnection: return withoutAddress(key, .requiresConnection, path.reason)
                // As long as the kernel has not reported the path, the path says nothing about the name.
                case .unsatisfied where path.isPreliminary:
                    return withoutAddress(key, .unknown, .nameServerNotAnswering)
                case .unsatisfied: return withoutAddress(key, .unreachable, path.reason)
                }
            }
        }
        return best(of: addresses, for: key, reports: query.reports, querying: kernel, links: &links)
    }

    private func withoutAddress(
        _ key: TargetKey, _ status: TargetReachability.Status, _ reason: UnreachableReason?
    ) -> TargetFinding {
        TargetFinding(target: TargetReachability(host: key.text, port: key.port, status: status, reason: reason))
    }

    /// The best address counts; of equals the one that the resolver returned first.
    private func best(
        of addresses: [HostAddress], for key: TargetKey, reports: TargetReports.Summary, querying kernel: some Kernel,
        links: inout LinkBook
    ) -> TargetFinding {
        var chosen: (address: HostAddress, verdict: RouteVerdict)?
        var doubts: [Gateway: Gateway.Doubt] = [:]
        var recheckAfter: Duration?
        for address in addresses {
            let verdict = routes.evaluate(address, uid: key.uid, querying: kernel, links: &links)
            if !verdict.doubts.isEmpty { doubts.merge(verdict.doubts) { $1 } }
            if let after = verdict.recheckAfter { recheckAfter = min(recheckAfter ?? after, after) }
            if verdict.rank > chosen?.verdict.rank ?? Int.min { chosen = (address, verdict) }
        }
        guard let (address, verdict) = chosen else { return withoutAddress(key, .unreachable, .nameNotFound) }
        var finding = TargetFinding(
            target: describe(verdict, for: key, address: address.address, reports: reports), verdict: verdict,
            address: address, doubts: doubts, recheckAfter: recheckAfter)
        if verdict.outcome == .usable, !verdict.isLocal, let link = verdict.link {
            finding.uses = [RouteUse(family: address.address.family, interface: link.index, source: verdict.source)]
        }
        return finding
    }

    private func describe(
        _ verdict: RouteVerdict, for key: TargetKey, address: IPAddress, reports: TargetReports.Summary
    ) -> TargetReachability {
        var target = TargetReachability(host: key.text, port: key.port, status: .reachable, reason: verdict.reason)
        switch verdict.outcome {
        case .usable:
            target.isSuspect = reports.isSuspect || verdict.isSuspect
            target.finding = reports.finding
        case .needsConnection: target.status = .requiresConnection
        case .refused: target.status = .unreachable
        case .unanswered: target.status = .unknown
        }
        target.isDirect = verdict.isDirect
        target.isLocal = verdict.isLocal
        target.address = address
        target.source = verdict.source
        target.gateway = verdict.gateway
        target.interface = verdict.link.map(costs.describe)
        target.table = verdict.route?.table
        return target
    }
}
