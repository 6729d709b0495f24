import NetworkPaths

/// Judges one address at a time: asks the kernel what it would do, and looks at what it would need for that.
public struct RouteEvaluator: Sendable {
    /// How long a router that did not answer is held for gone. The kernel keeps it as failed for ever, and tries it again
    /// only when something is sent, so that at some time somebody has to be told to try.
    public var gatewayPatience: Duration
    /// What was thought of routers at the last look: while the kernel tries one again, that goes on to hold.
    public var doubts: [Gateway: Gateway.Doubt]

    /// How long to wait for the outcome of the kernel's trying a router: three requests, one second apart.
    static let probePause = Duration.seconds(1)
    /// So many interfaces besides those in use are asked for a way of their own. Those with the smallest numbers, which were
    /// there first: a machine with containers has hundreds that lead to one of these each.
    static let maximumOthers = 64

    /// An evaluator with this patience.
    public init(gatewayPatience: Duration = .seconds(30), doubts: [Gateway: Gateway.Doubt] = [:]) {
        self.gatewayPatience = gatewayPatience
        self.doubts = doubts
    }

    /// What becomes of what is sent so.
    public func evaluate(_ query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook) -> RouteVerdict {
        let verdict = kernelsChoice(query, querying: kernel, links: &links)
        guard verdict.isOnTrial, query.interface == nil, kernel.forwards(.ipv6) == false else { return verdict }
        return detour(query, around: verdict, querying: kernel, links: &links) ?? verdict
    }

    /// The way that the kernel would choose if the router of this one had not answered.
    ///
    /// With version 6 it passes over a router that failed where there is another, unless it forwards itself (ip6_pol_route),
    /// but sends through it for as long as it tries it again (rt6_check_neigh): who took that for the way would be told
    /// another one, and back, whenever somebody tries.
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

    /// What becomes of what is sent so, as the kernel decides now.
    ///
    /// The kernel announces that an interface goes down, or an address, before it takes the routes away that hang on it, about
    /// which it says nothing. Who asks between the two would be told of a route that waits for its interface. And a router may
    /// fail while the kernel is asked: first for the route through it, and then for its state.
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
        // connect(2) takes no link-local address without a link.
        if query.destination.needsZone, query.interface == nil { return RouteVerdict(.refused(.noRoute)) }
        guard query.destination.family == .ipv4, query.source == nil else {
            return answer(query, querying: kernel, links: &links)
        }
        // As connect(2) does: it asks for a source, and looks again with that, where rules may forbid or divert it. Where an
        // interface is given the kernel finds a way through it without a route as well, so that the route has to be asked for.
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
            return verdict
        }
    }

    /// What becomes of what a user sends to this address, in its zone.
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
            // The kernel keeps the local table of version 4 within the main one, and calls it so, until there are rules.
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

    /// The way that the kernel would choose, where it is usable, else the first one that is: a flow that meets a dead way
    /// of several may yet be sent by another.
    private func bestCandidate(
        of route: Route, for query: RouteQuery, querying kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        // Nearly always there is one.
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

    /// One way of a route.
    private struct Candidate {
        var hop: Route.NextHop
        /// What the kernel makes of it; nil where it would choose another.
        var resolved: Route.Resolved?
    }

    /// The way of a route that has one, and which the kernel sees as it lists it; nil for any other.
    private func onlyCandidate(of route: Route) -> Candidate? {
        guard let resolved = route.resolved else { return nil }
        switch route.nextHops.count {
        case 0:
            // A nexthop object that is not spelled out: where it leads and the state of that link decide.
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
            // Routes changed between the two answers, or the kernel sees a way that it does not list.
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
        guard let link = links.link(candidate.hop.interface, querying: kernel) else {
            verdict.outcome = .unanswered
            return verdict
        }
        verdict.link = link
        let resolved = candidate.resolved ?? elsewhere(query, through: link.index, querying: kernel)
        verdict.source = resolved?.source ?? query.source
        guard !candidate.hop.isDead, !candidate.hop.isLinkDown, link.isUp, link.isRunning else {
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

    /// What the kernel makes of a way that it would not choose.
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

    /// Whether the router answers to its address.
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
            // It is being tried. Whether it is a router that failed before, the kernel does not tell any more.
            guard let doubt = doubts[gateway] else { return }
            verdict.doubts[gateway] = doubt
            verdict.isOnTrial = gateway.address.family == .ipv6
            if doubt == .failing { verdict.outcome = .refused(.gatewayNotAnswering) }
            verdict.recheckAfter = Self.probePause
        case .reachable, .stale, .delay, .probe, .noARP, .permanent, .none: break
        }
    }
}
