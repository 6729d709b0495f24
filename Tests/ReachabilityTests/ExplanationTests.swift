import NetworkPaths
import Reachability
import Testing

struct ExplanationTests {
    /// The steps as a table: subject, outcome, value.
    private func explain(
        _ text: String, _ kernel: SimulatedKernel, _ resolution: Resolution = .pending,
        _ reports: TargetReports.Summary = TargetReports.Summary()
    ) throws -> [String] {
        var links = LinkBook()
        let query = TargetQuery(
            key: try target(text), resolution: resolution, path: kernel.path(), reports: reports)
        let finding = TargetEvaluator().evaluate(query, querying: kernel, links: &links)
        return TargetExplanation(finding, of: query, querying: kernel, links: &links).steps.map { step in
            ([step.subject.rawValue, step.outcome.rawValue] + [step.value].compactMap { $0 }).joined(separator: " ")
        }
    }

    @Test func `every step of a reachable host is good`() throws {
        let kernel = SimulatedKernel.wired()
        kernel.setNeighbour(SimulatedKernel.router4, on: 2, .reachable)
        #expect(
            try explain("example.org", kernel, .addresses([HostAddress(ip("192.0.2.7"))])) == [
                "name good 192.0.2.7",
                "rule good from all lookup main",
                "route good default via 10.0.0.1 dev eth0 table main metric 102",
                "interface good eth0",
                "carrier good",
                "source good 10.0.0.5",
                "gateway good 10.0.0.1 reachable",
            ])
    }

    @Test func `IPv6 on the link`() throws {
        #expect(
            try explain("2001:db8::9", .wired(.ipv6)) == [
                "rule good from all lookup main",
                "route good 2001:db8::/64 dev eth0 table main metric 2",
                "interface good eth0",
                "carrier good",
                "source good 2001:db8::5",
            ])
    }

    @Test func `the local table within the main one`() {
        let route = Route(
            kind: .local, prefix: ip("127.0.0.0"), prefixLength: 8, table: 254,
            resolved: Route.Resolved(interface: 1, source: ip("127.0.0.1")))
        var links = LinkBook()
        let verdict = RouteEvaluator().evaluate(
            RouteQuery(ip("127.0.0.1")), querying: FixedKernel(.route(route)), links: &links)
        #expect(verdict.route?.table == 255)
    }

    @Test func `this machine`() throws {
        #expect(
            try explain("10.0.0.5", .wired()) == [
                "rule good from all lookup local",
                "route good local 10.0.0.5 dev lo table local",
            ])
    }

    @Test func `a rule that prohibits`() throws {
        let kernel = SimulatedKernel.wired()
        var rule = RoutingRule(priority: 10, action: .prohibit)
        rule.destination = prefix("192.0.2.0/24")
        rule.users = 1_000...1_000
        kernel.add(rule, .ipv4)
        #expect(
            try explain("192.0.2.7", kernel) == [
                "rule bad from all to 192.0.2.0/24 uidrange 1000-1000 prohibit", "route bad",
            ])
    }

    @Test func `no route`() throws {
        let kernel = SimulatedKernel.wired()
        kernel.removeDefaults(.ipv4)
        #expect(try explain("192.0.2.7", kernel) == ["route bad"])
    }

    @Test func `no carrier, and an interface that is down`() throws {
        let kernel = SimulatedKernel.wired()
        kernel.setCarrier(false, 2)
        let steps = try explain("192.0.2.7", kernel)
        #expect(steps.contains("route good default via 10.0.0.1 dev eth0 table main metric 102 linkdown"))
        #expect(steps.contains("carrier bad"))
        kernel.interfaces[2]?.isUp = false
        #expect(try explain("192.0.2.7", kernel).contains("carrier bad down"))
    }

    @Test func `no source address, and a tentative one`() throws {
        let kernel = SimulatedKernel.wired(.ipv6)
        kernel.add(ip("fe80::5"), 64, to: 2)
        kernel.add(ip("2001:db8:0::5"), 64, to: 2, isTentative: true)
        #expect(try explain("2600::7", kernel).contains("source bad 2001:db8::5 tentative"))
        kernel.remove(ip("2001:db8:0::5"), from: 2)
        #expect(try explain("2600::7", kernel).contains("source bad"))
    }

    @Test func `a router that is unreachable, that may be back, and without an entry`() throws {
        let kernel = SimulatedKernel.wired()
        #expect(try explain("192.0.2.7", kernel).contains("gateway unknown 10.0.0.1"))
        kernel.setNeighbour(SimulatedKernel.router4, on: 2, .failed)
        #expect(try explain("192.0.2.7", kernel).contains("gateway bad 10.0.0.1 failed"))
        kernel.now += 60 * seconds
        #expect(try explain("192.0.2.7", kernel).contains("gateway unknown 10.0.0.1 failed"))
        kernel.setNeighbour(SimulatedKernel.router4, on: 2, .stale)
        #expect(try explain("192.0.2.7", kernel).contains("gateway good 10.0.0.1 stale"))
    }

    @Test func `names without addresses`() throws {
        let kernel = SimulatedKernel.wired()
        #expect(try explain("example.org", kernel) == ["name unknown"])
        #expect(try explain("example.org", kernel, .noAnswer) == ["name unknown"])
        #expect(try explain("example.org", kernel, .noSuchName) == ["name bad"])
    }

    @Test func `the reported outcomes`() throws {
        var reports = TargetReports()
        let key = try target("192.0.2.7")
        let kernel = SimulatedKernel.wired()
        for (outcome, words) in [
            (.failed, "reports unknown 1"), (.failed, "reports unknown 2"), (.failed, "reports bad 3"),
        ] as [(ReportedOutcome, String)] {
            reports.append(outcome, for: key)
            #expect(try explain("192.0.2.7", kernel, .pending, reports.summary(of: key)).last == words)
        }
        reports.append(.answered, for: key)
        reports.append(.captive, for: key)
        #expect(try explain("192.0.2.7", kernel, .pending, reports.summary(of: key)).last == "reports bad 0")
    }

    @Test func `a kernel that does not reply`() throws {
        let kernel = SimulatedKernel.wired()
        kernel.isSilent = true
        #expect(try explain("192.0.2.7", kernel) == ["route unknown"])
    }

    @Test func `several next hops, a router of the other family, a nexthop object, a separate table`() throws {
        let kernel = SimulatedKernel.roaming()
        kernel.removeDefaults(.ipv4)
        kernel.add(
            SimulatedKernel.SimulatedRoute(
                prefix: prefix("192.0.2.0/24"), table: 100,
                hops: [
                    Route.NextHop(interface: 2, gateway: ip("10.0.0.1")),
                    Route.NextHop(interface: 3, gateway: ip("fe80::1")),
                ]))
        var rule = RoutingRule(priority: 10, action: .table(100))
        rule.mark = RoutingRule.Mark(1, mask: 0xff)
        rule.isInverted = true
        kernel.add(rule, .ipv4)
        let steps = try explain("192.0.2.7", kernel)
        #expect(steps.first == "rule unknown not from all fwmark 0x1/0xff lookup 100")
        #expect(
            steps.dropFirst().first
                == "route good 192.0.2.0/24 table 100 nexthop via 10.0.0.1 dev eth0 nexthop via inet6 fe80::1 dev wlan0"
        )
        kernel.removeRoute { $0.table == 100 }
        kernel.addDefault(ip("fe80::1"), 2, metric: 0, table: 7)
        kernel.routes[kernel.routes.count - 1].prefix = anywhere(.ipv4)
        kernel.add(RoutingRule(priority: 9, action: .table(7)), .ipv4)
        #expect(
            try explain("192.0.2.7", kernel).dropFirst().first
                == "route good default via inet6 fe80::1 dev eth0 table 7")
        kernel.removeRule(9, .ipv4)
        kernel.add(
            SimulatedKernel.SimulatedRoute(
                prefix: prefix("192.0.2.7/32"), table: 100,
                hops: [Route.NextHop(interface: 2, gateway: ip("10.0.0.1"))], nextHopID: 7))
        #expect(
            try explain("192.0.2.7", kernel).dropFirst().first
                == "route good 192.0.2.7 nhid 7 via 10.0.0.1 dev eth0 table 100")
    }

    @Test func `the state explains the present, watched or not`() throws {
        var machine = SimulatedMachine(.wired())
        machine.start()
        let key = try target("192.0.2.7")
        let (found, steps) = machine.explain(key)
        #expect(found.status == .reachable)
        #expect(steps.map(\.subject) == [.rule, .route, .interface, .carrier, .source, .gateway])
        #expect(machine.explain(try target("example.org")).target.reason == .resolving)
    }
}
