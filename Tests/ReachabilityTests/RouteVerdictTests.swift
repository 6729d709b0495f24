import NetworkPaths
import Reachability
import Testing

struct RouteVerdictTests {
    @Test func `a route with a carrier, an address and a router is usable`() {
        let verdict = SimulatedKernel.wired().evaluate("192.0.2.7")
        #expect(verdict.outcome == .usable)
        #expect(verdict.link?.name == "eth0")
        #expect(verdict.gateway == ip("10.0.0.1"))
        #expect(verdict.source == ip("10.0.0.5"))
        #expect(verdict.route?.table == 254)
        #expect(!verdict.isDirect && !verdict.isLocal && !verdict.isSuspect)
        #expect(verdict.recheckAfter == nil && verdict.doubts.isEmpty)
    }

    @Test func `a destination on the link is direct, one on this machine is local`() {
        let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
        #expect(kernel.evaluate("10.0.0.9").isDirect)
        #expect(kernel.evaluate("2001:db8::9").isDirect)
        let own = kernel.evaluate("10.0.0.5")
        #expect(own.isLocal && !own.isDirect && own.link?.name == "lo")
        #expect(kernel.evaluate("::1").isLocal)
    }

    @Test(arguments: [
        (Int32(13), UnreachableReason.prohibited), (113, .unreachableRoute), (22, .blackhole), (101, .noRoute),
        (11, .noRoute),
        (19, .noRoute), (3, .noRoute), (100, .noCarrier), (1, .prohibited),
    ])
    func `a refusal is reported by its errno`(errno: Int32, reason: UnreachableReason) {
        var links = LinkBook()
        let verdict = RouteEvaluator().evaluate(
            RouteQuery(ip("192.0.2.7")), querying: FixedKernel(.refused(errno)), links: &links)
        #expect(verdict.outcome == .refused(reason))
    }

    @Test(arguments: [
        (Route.Kind.blackhole, UnreachableReason.blackhole), (.unreachable, .unreachableRoute),
        (.prohibit, .prohibited), (.throw, .noRoute), (.other(11), .noRoute),
    ])
    func `a refusing route is reported by its type`(kind: Route.Kind, reason: UnreachableReason) {
        var links = LinkBook()
        let verdict = RouteEvaluator().evaluate(
            RouteQuery(ip("192.0.2.7")), querying: FixedKernel(.route(Route(kind: kind))), links: &links)
        #expect(verdict.outcome == .refused(reason))
    }

    @Test(arguments: [IPAddress.Family.ipv4, .ipv6])
    func `rules that prohibit, refuse or discard are distinguished`(family: IPAddress.Family) {
        let far = family == .ipv4 ? "192.0.2.7" : "2600::7"
        let cases: [(RoutingRule.Action, UnreachableReason)] = [
            (.prohibit, .prohibited), (.unreachable, .noRoute), (.blackhole, .blackhole),
        ]
        for (action, reason) in cases {
            let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
            kernel.add(RoutingRule(priority: 10, action: action), family)
            #expect(kernel.evaluate(far).outcome == .refused(reason))
        }
    }

    @Test func `a missing reply is no refusal`() {
        let kernel = SimulatedKernel.wired()
        kernel.isSilent = true
        #expect(kernel.evaluate("192.0.2.7").outcome == .unanswered)
    }

    @Test func `a lost carrier leaves the route, and requires a connection`() {
        let kernel = SimulatedKernel.wired(.ipv4, .ipv6)
        kernel.setCarrier(false, 2)
        #expect(kernel.evaluate("192.0.2.7").outcome == .needsConnection(.noCarrier))
        #expect(kernel.evaluate("2600::7").outcome == .needsConnection(.noCarrier))
    }

    @Test(arguments: [(true, false), (false, true)])
    func `a next hop that is dead or has no carrier is not usable, whatever the interface reports`(
        isDead: Bool, isLinkDown: Bool
    ) {
        let kernel = SimulatedKernel.wired()
        var links = LinkBook()
        let hop = Route.NextHop(interface: 2, gateway: ip("10.0.0.1"), isDead: isDead, isLinkDown: isLinkDown)
        let route = Route(
            nextHops: [hop],
            resolved: Route.Resolved(interface: 2, gateway: ip("10.0.0.1"), source: ip("10.0.0.5")))
        let verdict = RouteEvaluator().evaluate(
            RouteQuery(ip("192.0.2.7")), querying: FixedKernel(.route(route), kernel.interfaces), links: &links)
        #expect(verdict.outcome == .needsConnection(.noCarrier))
    }

    @Test func `an interface that is up but not ready has no carrier`() {
        // A wireless interface before its keys are exchanged: dormant, which routes do not show.
        let kernel = SimulatedKernel.wired()
        let route = Route(
            nextHops: [Route.NextHop(interface: 2)], resolved: Route.Resolved(interface: 2, source: ip("10.0.0.5")))
        kernel.interfaces[2]?.isRunning = false
        var links = LinkBook()
        let verdict = RouteEvaluator().evaluate(
            RouteQuery(ip("10.0.0.9")), querying: FixedKernel(.route(route), kernel.interfaces), links: &links)
        #expect(verdict.outcome == .needsConnection(.noCarrier))
    }

    @Test func `an unknown interface counts as a missing reply`() {
        let route = Route(nextHops: [Route.NextHop(interface: 9)], resolved: Route.Resolved(interface: 9))
        var links = LinkBook()
        let verdict = RouteEvaluator().evaluate(
            RouteQuery(ip("10.0.0.9")), querying: FixedKernel(.route(route)), links: &links)
        #expect(verdict.outcome == .unanswered)
    }

    @Test func `the querying user counts`() {
        let kernel = SimulatedKernel.wired()
        var rule = RoutingRule(priority: 10, action: .prohibit)
        rule.users = 1_000...1_999
        kernel.add(rule, .ipv4)
        #expect(kernel.evaluate("192.0.2.7", uid: 1_500).outcome == .refused(.prohibited))
        #expect(kernel.evaluate("192.0.2.7", uid: 2_000).outcome == .usable)
    }

    @Test func `a rule for the source counts, as connect queries the route twice`() {
        let kernel = SimulatedKernel.wired()
        var rule = RoutingRule(priority: 10, action: .prohibit)
        rule.source = prefix("10.0.0.0/24")
        kernel.add(rule, .ipv4)
        let verdict = kernel.evaluate("192.0.2.7")
        #expect(verdict.outcome == .refused(.prohibited))
        #expect(verdict.source == ip("10.0.0.5"))
    }

    @Test func `of several next hops one usable one suffices`() {
        let kernel = SimulatedKernel.roaming()
        kernel.removeDefaults(.ipv4)
        let hops = [2, 3].map { Route.NextHop(interface: $0, gateway: ip("10.\($0 - 2).0.1")) }
        kernel.add(SimulatedKernel.SimulatedRoute(prefix: anywhere(.ipv4), hops: hops))
        #expect(kernel.evaluate("192.0.2.7").link?.name == "eth0")
        kernel.setCarrier(false, 2)
        let other = kernel.evaluate("192.0.2.7")
        #expect(other.outcome == .usable)
        #expect(other.link?.name == "wlan0")
        #expect(other.source == ip("10.1.0.5"))
        kernel.setCarrier(false, 3)
        let none = kernel.evaluate("192.0.2.7")
        #expect(none.outcome == .needsConnection(.noCarrier))
        #expect(none.link?.name == "eth0")
    }

    @Test func `a nexthop object is evaluated by its interface and router`() {
        let kernel = SimulatedKernel.wired()
        kernel.removeDefaults(.ipv4)
        kernel.add(
            SimulatedKernel.SimulatedRoute(
                prefix: anywhere(.ipv4), hops: [Route.NextHop(interface: 2, gateway: ip("10.0.0.1"))], nextHopID: 7))
        let verdict = kernel.evaluate("192.0.2.7")
        #expect(verdict.outcome == .usable)
        #expect(verdict.gateway == ip("10.0.0.1"))
        kernel.setCarrier(false, 2)
        #expect(kernel.evaluate("192.0.2.7").outcome == .needsConnection(.noCarrier))
    }

    @Test func `a zone selects the interface, and without one a link-local address is unreachable`() throws {
        let kernel = SimulatedKernel.roaming([.ipv4, .ipv6])
        for index: Int32 in [2, 3] {
            kernel.add(ip("fe80::\(index)5"), 64, to: index)
        }
        var links = LinkBook()
        let evaluator = RouteEvaluator()
        let zoned = evaluator.evaluate(RouteQuery(ip("fe80::9"), interface: 3), querying: kernel, links: &links)
        #expect(zoned.outcome == .usable)
        #expect(zoned.link?.name == "wlan0")
        #expect(zoned.source == ip("fe80::35"))
        for text in ["fe80::9", "ff02::1"] { #expect(kernel.evaluate(text).outcome == .refused(.noRoute)) }
    }
}

/// A kernel with the same reply to every route query.
struct FixedKernel: Kernel {
    var answer: RouteAnswer
    var interfaces: [Int32: Link]

    init(_ answer: RouteAnswer, _ interfaces: [Int32: Link] = [:]) {
        self.answer = answer
        self.interfaces = interfaces
    }

    func route(_ query: RouteQuery) -> RouteAnswer { answer }
    func link(_ index: Int32) -> Link? { interfaces[index] }
    func links() -> [Link]? { Array(interfaces.values) }
    func addresses(of index: Int32) -> [InterfaceAddress]? { [] }
    func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour? { nil }
    func rules(_ family: IPAddress.Family) -> [RoutingRule]? { nil }
}
