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
    public func judge(_ question: RouteQuestion, asking kernel: some Kernel, links: inout LinkBook) -> RouteVerdict {
        let verdict = kernelsChoice(question, asking: kernel, links: &links)
        guard verdict.isOnTrial, question.interface == nil, kernel.forwards(.ipv6) == false else { return verdict }
        return detour(question, around: verdict, asking: kernel, links: &links) ?? verdict
    }

    /// The way that the kernel would choose if the router of this one had not answered.
    ///
    /// With version 6 it passes over a router that failed where there is another, unless it forwards itself (ip6_pol_route),
    /// but sends through it for as long as it tries it again (rt6_check_neigh): who took that for the way would be told
    /// another one, and back, whenever somebody tries.
    private func detour(
        _ question: RouteQuestion, around doubtful: RouteVerdict, asking kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict? {
        guard let all = links.all(asking: kernel) else { return nil }
        let others = all.lazy.filter { InterfaceClassifier.mayLeadOut($0) && $0.index != doubtful.link?.index }
        var best: (preference: (Int, UInt32), verdict: RouteVerdict)?
        for link in others.prefix(Self.maximumOthers) {
            var question = question
            question.interface = link.index
            let verdict = kernelsChoice(question, asking: kernel, links: &links)
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
        _ question: RouteQuestion, asking kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        let verdict = choice(question, asking: kernel, links: &links)
        guard verdict.mayBePassing else { return verdict }
        kernel.awaitChanges()
        let now = kernel.afresh
        return choice(question, asking: now, links: &links)
    }

    private func choice(
        _ question: RouteQuestion, asking kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        // connect(2) takes no link-local address without a link.
        if question.destination.needsZone, question.interface == nil { return RouteVerdict(.refused(.noRoute)) }
        guard question.destination.family == .ipv4, question.source == nil else {
            return answer(question, asking: kernel, links: &links)
        }
        // As connect(2) does: it asks for a source, and looks again with that, where rules may forbid or divert it. Where an
        // interface is given the kernel finds a way through it without a route as well, so that the route has to be asked for.
        switch question.interface == nil ? kernel.way(question) : kernel.route(question) {
        case .noAnswer: return RouteVerdict(.unanswered)
        case .refused(let errno): return RouteVerdict(.refused(UnreachableReason(errno: errno)))
        case .route(let way):
            guard way.kind == .unicast, let source = way.resolved?.source, !source.isUnspecified else {
                return answer(question, asking: kernel, links: &links)
            }
            var again = question
            again.source = source
            var verdict = answer(again, asking: kernel, links: &links)
            verdict.source = verdict.source ?? source
            return verdict
        }
    }

    /// What becomes of what a user sends to this address, in its zone.
    func judge(
        _ address: HostAddress, uid: UInt32? = nil, asking kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        var question = RouteQuestion(address.address, uid: uid)
        if let zone = address.zone {
            switch links.zone(zone, asking: kernel) {
            case .link(let index): question.interface = index
            case .missing: return RouteVerdict(.refused(.noRoute))
            case .unanswered: return RouteVerdict(.unanswered)
            }
        }
        return judge(question, asking: kernel, links: &links)
    }

    private func answer(_ question: RouteQuestion, asking kernel: some Kernel, links: inout LinkBook) -> RouteVerdict {
        switch kernel.route(question) {
        case .noAnswer: return RouteVerdict(.unanswered)
        case .refused(let errno): return RouteVerdict(.refused(UnreachableReason(errno: errno)))
        case .route(var route):
            // The kernel keeps the local table of version 4 within the main one, and calls it so, until there are rules.
            if route.kind == .local || route.kind == .broadcast, route.table == 254 { route.table = 255 }
            return judge(route, for: question, asking: kernel, links: &links)
        }
    }

    private func judge(
        _ route: Route, for question: RouteQuestion, asking kernel: some Kernel, links: inout LinkBook
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
            verdict.source = route.resolved?.source ?? question.source
            let interface = route.resolved?.interface ?? route.nextHops.first?.interface
            verdict.link = interface.flatMap { links.link($0, asking: kernel) }
            return verdict
        }
        return bestWay(of: route, for: question, asking: kernel, links: &links)
    }

    /// The way that the kernel would choose, where it is usable, else the first one that is: a flow that meets a dead way
    /// of several may yet be sent by another.
    private func bestWay(
        of route: Route, for question: RouteQuestion, asking kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        // Nearly always there is one.
        if let way = onlyWay(of: route) { return judge(way, of: route, for: question, asking: kernel, links: &links) }
        var best: RouteVerdict?
        for way in ways(of: route) {
            var verdict = judge(way, of: route, for: question, asking: kernel, links: &links)
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
    private struct Way {
        var hop: Route.NextHop
        /// What the kernel makes of it; nil where it would choose another.
        var resolved: Route.Resolved?
    }

    /// The way of a route that has one, and which the kernel sees as it lists it; nil for any other.
    private func onlyWay(of route: Route) -> Way? {
        guard let resolved = route.resolved else { return nil }
        switch route.nextHops.count {
        case 0:
            // A nexthop object that is not spelled out: where it leads and the state of that link decide.
            let hop = Route.NextHop(interface: resolved.interface, gateway: resolved.gateway)
            return Way(hop: hop, resolved: resolved)
        case 1 where route.nextHops[0].interface == resolved.interface:
            return Way(hop: route.nextHops[0], resolved: resolved)
        default: return nil
        }
    }

    private func ways(of route: Route) -> [Way] {
        guard let resolved = route.resolved else { return route.nextHops.map { Way(hop: $0) } }
        let chosen = route.nextHops.firstIndex {
            $0.interface == resolved.interface && (route.nextHops.count == 1 || $0.gateway == resolved.gateway)
        }
        guard let chosen else {
            // Routes changed between the two answers, or the kernel sees a way that it does not list.
            let hop = Route.NextHop(interface: resolved.interface, gateway: resolved.gateway)
            return [Way(hop: hop, resolved: resolved)] + route.nextHops.map { Way(hop: $0) }
        }
        var ways = [Way(hop: route.nextHops[chosen], resolved: resolved)]
        for (index, hop) in route.nextHops.enumerated() where index != chosen { ways.append(Way(hop: hop)) }
        return ways
    }

    private func judge(
        _ way: Way, of route: Route, for question: RouteQuestion, asking kernel: some Kernel, links: inout LinkBook
    ) -> RouteVerdict {
        var verdict = RouteVerdict(.usable)
        verdict.route = route
        verdict.gateway = way.hop.gateway ?? way.resolved?.gateway
        guard let link = links.link(way.hop.interface, asking: kernel) else {
            verdict.outcome = .unanswered
            return verdict
        }
        verdict.link = link
        let resolved = way.resolved ?? elsewhere(question, through: link.index, asking: kernel)
        verdict.source = resolved?.source ?? question.source
        guard !way.hop.isDead, !way.hop.isLinkDown, link.isUp, link.isRunning else {
            verdict.outcome = .needsConnection(.noCarrier)
            return verdict
        }
        let fitness = SourceFitness(destination: question.destination, route: route, gateway: verdict.gateway)
        if !(verdict.source.map(fitness.fits) ?? false) {
            verdict.source = nil
            verdict.outcome = .needsConnection(fitness.reason(among: kernel.addresses(of: link.index)))
            return verdict
        }
        if let gateway = verdict.gateway { look(at: Gateway(gateway, on: link.index), for: &verdict, asking: kernel) }
        return verdict
    }

    /// What the kernel makes of a way that it would not choose.
    private func elsewhere(
        _ question: RouteQuestion, through interface: Int32, asking kernel: some Kernel
    ) -> Route.Resolved? {
        var question = question
        question.interface = interface
        question.source = nil
        guard case .route(let route) = kernel.route(question), route.resolved?.interface == interface else {
            return nil
        }
        return route.resolved
    }

    /// Whether the router answers to its address.
    private func look(at gateway: Gateway, for verdict: inout RouteVerdict, asking kernel: some Kernel) {
        guard let neighbour = kernel.neighbour(gateway.address, on: gateway.interface) else { return }
        switch neighbour.state {
        case .failed:
            let age = Duration.milliseconds(min(neighbour.ageMilliseconds, UInt64(Int32.max)))
            if age < gatewayPatience {
                verdict.outcome = .refused(.gatewayNotAnswering)
                verdict.doubts[gateway] = .failing
                verdict.lookAgainAfter = gatewayPatience - age
            } else {
                verdict.doubts[gateway] = .suspect
            }
        case .incomplete:
            // It is being tried. Whether it is a router that failed before, the kernel does not tell any more.
            guard let doubt = doubts[gateway] else { return }
            verdict.doubts[gateway] = doubt
            verdict.isOnTrial = gateway.address.family == .ipv6
            if doubt == .failing { verdict.outcome = .refused(.gatewayNotAnswering) }
            verdict.lookAgainAfter = Self.probePause
        case .reachable, .stale, .delay, .probe, .noARP, .permanent, .none: break
        }
    }
}
