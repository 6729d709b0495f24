import NetworkPaths

/// Evaluates one address at a time: queries the kernel's route, and checks the interface, source address and router
/// that it uses.
public struct RouteEvaluator: Sendable {
    /// How long a router that did not reply counts as unreachable. The kernel retains its failed state without limit and
    /// tries it again only when something is sent, so after this time a client has to be allowed to try.
    public var gatewayPatience: Duration
    /// The doubts about routers after the last evaluation. They stay valid while the kernel tries a router again.
    public var doubts: [Gateway: Gateway.Doubt]

    /// How long to wait for the result of the kernel's attempt to reach a router: three requests, one second apart.
    static let probePause = Duration.seconds(1)
    /// The most interfaces, besides those in use, that are queried for a route of their own. Those with the smallest
    /// indexes are preferred, because they existed first: a machine with containers has hundreds that all lead to one
    /// of these.
    static let maximumOthers = 64

    /// An evaluator with this patience.
    public init(gatewayPatience: Duration = .seconds(30), doubts: [Gateway: Gateway.Doubt] = [:]) {
        self.gatewayPatience = gatewayPatience
        self.doubts = doubts
    }

    /// The verdict on a route query.
    public func evaluate(_ query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook) -> RouteVerdict {
        let verdict = kernelsChoice(query, querying: kernel, links: &links)
        guard verdict.isOnTrial, query.interface == nil, kernel.forwards(.ipv6) == false else { return verdict }
        return detour(query, around: verdict, querying: kernel, links: &links) ?? verdict
    }

    /// The route that the kernel would choose if the router of this route did not reply.
    ///
    /// With IPv6 the kernel skips a failed router if there is another one, unless this machine forwards packets
    /// (ip6_pol_route). But while it tries the failed router again it sends through it (rt6_check_neigh). Reporting
    /// that route would change the reported path and change it back with every attempt.
    private func detour(
        _ query: RouteQuery, around doubtful: RouteVerdict, querying kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict? {
        guard let all = links.all(querying: kernel) else { return nil }
        let others = all.lazy.filter { InterfaceClassifier.mayLeadOut($0) && $0.index != doubtful.link?.index }
        var best: (preference: (Int, UInt32), verdict: RouteVerdict)?
        for link in others.prefix(Self.maximumOthers) {
            var query = query
            query.interface = link.index
            let verdict = kernelsChoice(query, querying: kernel, links: &links)
            guard verdict.isUsable, !verdict.isInDoubt, let route = verdict.route else { continue }
            let preference = (-route.prefixLength, route.metric)
            if best.map({ preference < $0.preference }) ?? true { best = (preference, verdict) }
        }
        best?.verdict.note(doubtful)
        return best?.verdict
    }

    /// The verdict on the kernel's present choice.
    ///
    /// The kernel announces that an interface goes down, or that an address is removed, before it removes the routes
    /// that depend on it, and it does not announce those. A query between the two finds a route that waits for its
    /// interface. A router may fail between the two queries for its route and for its state. And a route may be replaced
    /// between the query for the source address and the one with it: then the source belongs to the former route, unless a
    /// rule about the source diverts the packet. In these cases the choice is evaluated again after the change.
    private func kernelsChoice(
        _ query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        let verdict = choice(query, querying: kernel, links: &links)
        guard verdict.mayBePassing else { return verdict }
        kernel.awaitChanges()
        let now = kernel.afresh
        return choice(query, querying: now, links: &links)
    }

    private func choice(
        _ query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        // connect(2) accepts no link-local address without a link.
        if query.destination.needsZone, query.interface == nil { return RouteVerdict(.refused(.noRoute)) }
        guard query.destination.family == .ipv4, query.source == nil else {
            return answer(query, querying: kernel, links: &links)
        }
        // As connect(2) does: it queries a source, then queries the route again with that source, which rules may
        // forbid or divert. If an interface is given, the kernel finds a next hop even without a route, so the route
        // itself has to be queried.
        switch query.interface == nil ? kernel.resolvedRoute(query) : kernel.route(query) {
        case .noAnswer: return RouteVerdict(.unanswered)
        case .refused(let errno): return RouteVerdict(.refused(UnreachableReason(errno: errno)))
        case .route(let candidate):
            guard candidate.kind == .unicast, let source = candidate.resolved?.source, !source.isUnspecified else {
                return answer(query, querying: kernel, links: &links)
            }
            var again = query
            again.source = source
            var verdict = answer(again, querying: kernel, links: &links)
            verdict.source = verdict.source ?? source
            if let link = verdict.link, !verdict.isLocal {
                verdict.isDiverted = link.index != candidate.resolved?.interface
            }
            return verdict
        }
    }

    /// The verdict on a user's packet to this address, in its zone.
    func evaluate(
        _ address: HostAddress, uid: UInt32? = nil, querying kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        var query = RouteQuery(address.address, uid: uid)
        if let zone = address.zone {
            switch links.zone(zone, querying: kernel) {
            case .link(let index): query.interface = index
            case .missing: return RouteVerdict(.refused(.noRoute))
            case .unanswered: return RouteVerdict(.unanswered)
            }
        }
        return evaluate(query, querying: kernel, links: &links)
    }

    private func answer(_ query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook) -> RouteVerdict {
        switch kernel.route(query) {
        case .noAnswer: return RouteVerdict(.unanswered)
        case .refused(let errno): return RouteVerdict(.refused(UnreachableReason(errno: errno)))
        case .route(var route):
            // Until there are rules, the kernel stores the local table of IPv4 within the main table and reports it as
            // that.
            if route.kind == .local || route.kind == .broadcast, route.table == 254 { route.table = 255 }
            return evaluate(route, for: query, querying: kernel, links: &links)
        }
    }

    private func evaluate(
        _ route: Route, for query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        if let reason = UnreachableReason(refusing: route.kind) {
            var verdict = RouteVerdict(.refused(reason))
            verdict.route = route
            return verdict
        }
        if route.kind == .local {
            var verdict = RouteVerdict(.usable)
            verdict.route = route
            verdict.isLocal = true
            verdict.source = route.resolved?.source ?? query.source
            let interface = route.resolved?.interface ?? route.nextHops.first?.interface
            verdict.link = interface.flatMap { links.link($0, querying: kernel) }
            return verdict
        }
        return bestCandidate(of: route, for: query, querying: kernel, links: &links)
    }

    /// The next hop that the kernel would choose, if it is usable, otherwise the first usable one: a flow that is
    /// assigned to a dead next hop of several may still be sent through another.
    private func bestCandidate(
        of route: Route, for query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        // Nearly always there is only one next hop.
        if let candidate = onlyCandidate(of: route) {
            return evaluate(candidate, of: route, for: query, querying: kernel, links: &links)
        }
        var best: RouteVerdict?
        for candidate in candidates(of: route) {
            var verdict = evaluate(candidate, of: route, for: query, querying: kernel, links: &links)
            if let earlier = best {
                if verdict.rank > earlier.rank {
                    verdict.note(earlier)
                    best = verdict
                } else {
                    best?.note(verdict)
                }
            } else {
                best = verdict
            }
            if best?.rank == 4 { break }
        }
        return best ?? RouteVerdict(.unanswered)
    }

    /// One next hop of a route.
    private struct Candidate {
        var hop: Route.NextHop
        /// The interface, router and source that the kernel resolved for it; nil if the kernel would choose another
        /// next hop.
        var resolved: Route.Resolved?
    }

    /// The next hop of a route that has exactly one, if it agrees with the kernel's resolved one; otherwise nil.
    private func onlyCandidate(of route: Route) -> Candidate? {
        guard let resolved = route.resolved else { return nil }
        switch route.nextHops.count {
        case 0:
            // The nexthop object is not expanded: its resolved interface and the state of that link decide.
            let hop = Route.NextHop(interface: resolved.interface, gateway: resolved.gateway)
            return Candidate(hop: hop, resolved: resolved)
        case 1 where route.nextHops[0].interface == resolved.interface:
            return Candidate(hop: route.nextHops[0], resolved: resolved)
        default: return nil
        }
    }

    private func candidates(of route: Route) -> [Candidate] {
        guard let resolved = route.resolved else { return route.nextHops.map { Candidate(hop: $0) } }
        let chosen = route.nextHops.firstIndex {
            $0.interface == resolved.interface && (route.nextHops.count == 1 || $0.gateway == resolved.gateway)
        }
        guard let chosen else {
            // The routes changed between the two replies, or the kernel uses a next hop that it does not list.
            let hop = Route.NextHop(interface: resolved.interface, gateway: resolved.gateway)
            return [Candidate(hop: hop, resolved: resolved)] + route.nextHops.map { Candidate(hop: $0) }
        }
        var candidates = [Candidate(hop: route.nextHops[chosen], resolved: resolved)]
        for (index, hop) in route.nextHops.enumerated() where index != chosen { candidates.append(Candidate(hop: hop)) }
        return candidates
    }

    private func evaluate(
        _ candidate: Candidate, of route: Route, for query: RouteQuery, querying kernel: some Kernel,
        links: inout LinkBook
    ) -> RouteVerdict {
        var verdict = RouteVerdict(.usable)
        verdict.route = route
        verdict.gateway = candidate.hop.gateway ?? candidate.resolved?.gateway
        let isDown = candidate.hop.isDead || candidate.hop.isLinkDown
        guard let link = links.link(candidate.hop.interface, isUsed: !isDown, querying: kernel) else {
            verdict.outcome = .unanswered
            return verdict
        }
        verdict.link = link
        let resolved = candidate.resolved ?? elsewhere(query, through: link.index, querying: kernel)
        verdict.source = resolved?.source ?? query.source
        guard !isDown, link.isUp, link.isRunning else {
            verdict.outcome = .needsConnection(.noCarrier)
            return verdict
        }
        let fitness = SourceFitness(destination: query.destination, route: route, gateway: verdict.gateway)
        if !(verdict.source.map(fitness.fits) ?? false) {
            verdict.source = nil
            verdict.outcome = .needsConnection(fitness.reason(among: kernel.addresses(of: link.index)))
            return verdict
        }
        if let gateway = verdict.gateway { pass(at: Gateway(gateway, on: link.index), for: &verdict, querying: kernel) }
        return verdict
    }

    /// The result of the kernel for a next hop that it would not choose.
    private func elsewhere(
        _ query: RouteQuery, through interface: Int32, querying kernel: some Kernel
    ) -> Route.Resolved? {
        var query = query
        query.interface = interface
        query.source = nil
        guard case .route(let route) = kernel.route(query), route.resolved?.interface == interface else {
            return nil
        }
        return route.resolved
    }

    /// Checks whether the router replies to ARP or neighbour discovery.
    private func pass(at gateway: Gateway, for verdict: inout RouteVerdict, querying kernel: some Kernel) {
        guard let neighbour = kernel.neighbour(gateway.address, on: gateway.interface) else { return }
        switch neighbour.state {
        case .failed:
            let age = Duration.milliseconds(min(neighbour.ageMilliseconds, UInt64(Int32.max)))
            if age < gatewayPatience {
                verdict.outcome = .refused(.gatewayNotAnswering)
                verdict.doubts[gateway] = .failing
                verdict.recheckAfter = gatewayPatience - age
            } else {
                verdict.doubts[gateway] = .suspect
            }
        case .incomplete:
            // The kernel is trying it. Whether it failed before is no longer known to the kernel.
            guard let doubt = doubts[gateway] else { return }
            verdict.doubts[gateway] = doubt
            verdict.isOnTrial = gateway.address.family == .ipv6
            if doubt == .failing { verdict.outcome = .refused(.gatewayNotAnswering) }
            verdict.recheckAfter = Self.probePause
        case .reachable, .stale, .delay, .probe, .noARP, .permanent, .none: break
        }
    }
}
