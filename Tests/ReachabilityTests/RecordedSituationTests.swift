import NetlinkRecording
import NetworkPaths
import Reachability
import TestSupport
import Testing

/// The reports about situations of a real kernel, Tests/Fixtures/netlink/situations.txt.
struct RecordedSituationTests {
    private static func kernel(_ situation: String) throws -> RecordedKernel {
        RecordedKernel(recorded: try NetlinkRecording(file: Products.fixture("netlink/\(situation).txt")).kernel)
    }

    /// A situation, and the path: its status or reason, IP versions, interfaces and routers.
    private static let paths: [(String, String)] = [
        ("ordinary", "satisfied 4 6 up0 10.77.0.1 2001:db8:77::1"),
        ("ipv4-only", "satisfied 4 up0 10.77.0.1"),
        ("ipv6-only", "satisfied 6 up0 2001:db8:77::1"),
        ("no-network", "unsatisfied noRoute"),
        ("loopback-down", "unsatisfied noRoute"),
        ("carrier-lost", "requiresConnection noCarrier up0 10.77.0.1 2001:db8:77::1"),
        ("link-down", "unsatisfied noRoute"),
        ("address-deleted", "requiresConnection noAddress up0 2001:db8:77::1"),
        ("device-deleted", "unsatisfied noRoute"),
        ("prohibit-rule", "unsatisfied prohibited"),
        ("unreachable-default", "unsatisfied unreachableRoute"),
        ("blackhole", "unsatisfied blackhole"),
        ("throw", "satisfied 4 6 up0 10.77.0.1 2001:db8:77::1"),
        ("route-deleted", "unsatisfied noRoute"),
        ("no-address", "requiresConnection noAddress up0"),
        ("tentative-address", "requiresConnection addressTentative up0 2001:db8:77::1"),
        ("duplicate-address", "requiresConnection noAddress up0 2001:db8:77::1"),
        ("two-uplinks", "satisfied 4 6 up0 up1 10.77.0.1 2001:db8:77::1 10.77.1.1 2001:db8:77:1::1"),
        (
            "first-uplink-lost",
            "requiresConnection noCarrier up0 up1 10.77.0.1 2001:db8:77::1 10.77.1.1 2001:db8:77:1::1"
        ),
        ("bridge", "satisfied 6 up0 2001:db8:77::1"),
        ("rule-to-table", "satisfied 4 6 up0 up1 10.77.0.1 2001:db8:77::1 10.77.1.1 2001:db8:77:1::1"),
        ("multipath-half-lost", "satisfied 4 6 up1 10.77.1.1 2001:db8:77:1::1"),
        ("nexthop-object", "satisfied 4 6 up0 10.77.0.1 2001:db8:77::1"),
        ("nexthop-object-plain", "satisfied 4 6 up0 10.77.0.1 2001:db8:77::1"),
        ("nexthop-group", "satisfied 4 6 up1 10.77.1.1 2001:db8:77:1::1"),
        ("other-family", "satisfied 4 6 up0 2001:db8:77::1"),
        ("neighbour-failed", "unsatisfied gatewayNotAnswering"),
        ("vpn-halves", "satisfied 4 6 tun0 up0 10.77.0.1 2001:db8:77::1"),
        ("rules", "unsatisfied noRoute"),
    ]

    private func words(_ path: NetworkPath) -> String {
        var words = [path.status.rawValue]
        if let reason = path.reason { words.append(reason.rawValue) }
        if path.supportsIPv4 { words.append("4") }
        if path.supportsIPv6 { words.append("6") }
        words += path.interfaces.map(\.name)
        return (words + path.gateways.map(\.description)).joined(separator: " ")
    }

    @Test(arguments: paths) func `the path is reported as recorded`(situation: String, expected: String) throws {
        let kernel = try Self.kernel(situation)
        var links = LinkBook()
        let finding = PathEvaluator().evaluate(querying: kernel, links: &links)
        #expect(finding.isAnswered)
        #expect(words(finding.path) == expected)
        var state = ReachabilityState(settings: ReachabilitySettings())
        _ = state.start(at: 0, querying: kernel)
        #expect(state.path == finding.path)
    }

    @Test func `of two next hops both are offered, whichever the kernel's hash prefers`() throws {
        var links = LinkBook()
        let path = PathEvaluator().evaluate(querying: try Self.kernel("multipath"), links: &links).path
        #expect(path.status == .satisfied && path.supportsIPv4 && path.supportsIPv6)
        #expect(Set(path.interfaces.map(\.name)) == ["up0", "up1"])
        #expect(path.gateways.count == 4)
    }

    private func steps(_ situation: String, _ host: String, uid: UInt32 = 0) throws -> [String] {
        let kernel = try Self.kernel(situation)
        var state = ReachabilityState(settings: ReachabilitySettings())
        _ = state.start(at: 0, querying: kernel)
        let (found, steps) = state.explain(try target(host, uid: uid), at: 0, querying: kernel)
        let head = [found.status.rawValue, found.reason?.rawValue, found.interface?.name].compactMap(\.self)
        return [head.joined(separator: " ")]
            + steps.map { step in
                [step.subject.rawValue, step.outcome.rawValue, step.value].compactMap(\.self).joined(separator: " ")
            }
    }

    private static let far4 = "198.51.100.9"
    private static let far6 = "2001:db8:100::9"

    private static let hosts: [(String, String, [String])] = [
        (
            "ordinary", far4,
            [
                "reachable up0", "rule good from all lookup main",
                "route good default via 10.77.0.1 dev up0 table main metric 100", "interface good up0", "carrier good",
                "source good 10.77.0.2", "gateway unknown 10.77.0.1",
            ]
        ),
        (
            "ordinary", far6,
            [
                "reachable up0", "rule good from all lookup main",
                "route good default via 2001:db8:77::1 dev up0 table main metric 100", "interface good up0",
                "carrier good", "source good 2001:db8:77::2", "gateway unknown 2001:db8:77::1",
            ]
        ),
        ("ordinary", "127.0.0.1", ["reachable lo", "rule good from all lookup local", "local"]),
        ("ipv4-only", far6, ["unreachable noRoute", "route bad"]),
        ("ipv6-only", far4, ["unreachable noRoute", "route bad"]),
        ("no-network", far4, ["unreachable noRoute", "route bad"]),
        ("link-down", far4, ["unreachable noRoute", "route bad"]),
        ("link-down", far6, ["unreachable noRoute", "route bad"]),
        (
            "carrier-lost", far4,
            [
                "requiresConnection noCarrier up0", "rule good from all lookup main",
                "route good default via 10.77.0.1 dev up0 table main metric 100 linkdown", "interface good up0",
                "carrier bad", "source good 10.77.0.2", "gateway unknown 10.77.0.1",
            ]
        ),
        (
            "carrier-lost", far6,
            [
                "requiresConnection noCarrier up0", "rule good from all lookup main",
                "route good default via 2001:db8:77::1 dev up0 table main metric 100 linkdown", "interface good up0",
                "carrier bad", "source good 2001:db8:77::2", "gateway unknown 2001:db8:77::1",
            ]
        ),
        ("prohibit-rule", far4, ["unreachable prohibited", "rule bad from all prohibit", "route bad"]),
        ("prohibit-rule", far6, ["unreachable prohibited", "rule bad from all prohibit", "route bad"]),
        ("unreachable-default", far4, ["unreachable unreachableRoute", "route bad"]),
        ("unreachable-default", far6, ["unreachable unreachableRoute", "route bad"]),
        ("blackhole", far4, ["unreachable blackhole", "route bad"]),
        ("blackhole", far6, ["unreachable blackhole", "route bad"]),
        ("throw", far4, ["unreachable noRoute", "route bad"]),
        ("throw", far6, ["unreachable noRoute", "route bad"]),
        (
            "no-address", far4,
            [
                "requiresConnection noAddress up0", "rule good from all lookup main",
                "route good default dev up0 table main metric 100", "interface good up0", "carrier good", "source bad",
            ]
        ),
        (
            "no-address", far6,
            [
                "requiresConnection noAddress up0", "rule good from all lookup main",
                "route good default dev up0 table main metric 100", "interface good up0", "carrier good", "source bad",
            ]
        ),
        (
            "tentative-address", far6,
            [
                "requiresConnection addressTentative up0", "rule good from all lookup main",
                "route good default via 2001:db8:77::1 dev up0 table main metric 100", "interface good up0",
                "carrier good", "source bad 2001:db8:77::3 tentative", "gateway unknown 2001:db8:77::1",
            ]
        ),
        (
            "multipath-half-lost", far4,
            [
                "reachable up1", "rule good from all lookup main",
                "route good default table main metric 50 nexthop via 10.77.0.1 dev up0 linkdown"
                    + " nexthop via 10.77.1.1 dev up1",
                "interface good up1", "carrier good", "source good 10.77.1.2", "gateway unknown 10.77.1.1",
            ]
        ),
        (
            "nexthop-group", far6,
            [
                "reachable up1", "rule good from all lookup main", "nhid 31", "interface good up1", "carrier good",
                "source good 2001:db8:77:1::2", "gateway unknown 2001:db8:77:1::1",
            ]
        ),
        (
            "nexthop-object-plain", far4,
            [
                "reachable up0", "rule good from all lookup main",
                "route good default nhid 10 via 10.77.0.1 dev up0 table main metric 50", "interface good up0",
                "carrier good", "source good 10.77.0.2", "gateway unknown 10.77.0.1",
            ]
        ),
        (
            "other-family", far4,
            [
                "reachable up0", "rule good from all lookup main",
                "route good default via inet6 2001:db8:77::1 dev up0 table main metric 50", "interface good up0",
                "carrier good", "source good 10.77.0.2", "gateway unknown 2001:db8:77::1",
            ]
        ),
        (
            "neighbour-failed", far4,
            [
                "unreachable gatewayNotAnswering up0", "rule good from all lookup main",
                "route good default via 10.77.0.1 dev up0 table main metric 100", "interface good up0", "carrier good",
                "source good 10.77.0.2", "gateway bad 10.77.0.1 failed",
            ]
        ),
        (
            "neighbour-failed", far6,
            [
                "unreachable gatewayNotAnswering up0", "rule good from all lookup main",
                "route good default via 2001:db8:77::1 dev up0 table main metric 100", "interface good up0",
                "carrier good", "source good 2001:db8:77::2", "gateway bad 2001:db8:77::1 failed",
            ]
        ),
        (
            "vpn-halves", far4,
            [
                "reachable tun0", "rule good from all lookup main", "route good 128.0.0.0/1 dev tun0 table main",
                "interface good tun0", "carrier good", "source good 10.99.0.2",
            ]
        ),
        (
            "vpn-halves", far6,
            [
                "reachable tun0", "rule good from all lookup main", "route good 2000::/4 dev tun0 table main",
                "interface good tun0", "carrier good", "source good 2001:db8:99::2",
            ]
        ),
        (
            "rules", far4, ["unreachable noRoute", "rule bad not from 10.77.0.0/16 unreachable", "route bad"]
        ),
    ]

    /// The actual line contains the expected text.
    @Test(arguments: hosts) func `a host is reported and explained as recorded`(
        situation: String, host: String, expected: [String]
    ) throws {
        let found = try steps(situation, host)
        #expect(found.count == expected.count, "\(found)")
        for (line, expectation) in zip(found, expected) {
            #expect(line == expectation || line.contains(expectation), "\(situation)")
        }
    }

    @Test func `a rule for one user gives that user another route`() throws {
        for host in [Self.far4, Self.far6] {
            let own = try steps("rule-to-table", host, uid: 1_000)
            #expect(own.first == "reachable up1")
            #expect(own.dropFirst().first?.contains("from all uidrange 1000-1000 lookup 1000") == true)
            #expect(own.contains { $0.contains("dev up1 table 1000") })
            let other = try steps("rule-to-table", host)
            #expect(other.first == "reachable up0")
            #expect(
                other.contains("rule good from all lookup main") || other.contains("rule unknown from all lookup main"))
        }
    }
}

/// The recorded replies for every kind of query: if only the resolved route is queried, the recorded full reply is
/// used.
private struct RecordedKernel: Kernel {
    let recorded: any Kernel

    func route(_ query: RouteQuery) -> RouteAnswer { recorded.route(query) }
    func resolvedRoute(_ query: RouteQuery) -> RouteAnswer {
        let resolvedRoute = recorded.resolvedRoute(query)
        return resolvedRoute == .noAnswer ? recorded.route(query) : resolvedRoute
    }
    func link(_ index: Int32) -> Link? { recorded.link(index) }
    func links() -> [Link]? { recorded.links() }
    func addresses(of index: Int32) -> [InterfaceAddress]? { recorded.addresses(of: index) }
    func neighbour(_ address: IPAddress, on index: Int32) -> Neighbour? { recorded.neighbour(address, on: index) }
    func rules(_ family: IPAddress.Family) -> [RoutingRule]? { recorded.rules(family) }
}
