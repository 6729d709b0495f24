import Glibc
import NetlinkRecording
import NetworkPaths
import Reachability
import TestSupport
import Testing

@Suite struct `A recorded reply` {
    private static let ipv4 = ["12.0.0.1", "193.0.0.1"]
    private static let ipv6 = ["2600::1", "3000::1"]

    private func situation(_ name: String) throws -> NetlinkRecording {
        try #require(Situation.all.first { $0.name == name }).recording()
    }

    private func route(_ name: String, _ destination: String, uid: UInt32? = nil) throws -> Route? {
        let answer = try situation(name).kernel.route(RouteQuery(#require(IPAddress(destination)), uid: uid))
        guard case .route(let route) = answer else { return nil }
        return route
    }

    @Test func `is written as it was read`() throws {
        for situation in Situation.all {
            let recording = try situation.recording()
            #expect(try NetlinkRecording(recording.text) == recording)
            #expect(!recording.exchanges.isEmpty && recording.exchanges.allSatisfy { !$0.answer.isEmpty })
        }
    }

    @Test(arguments: [
        ("no-network", "12.0.0.1", ENETUNREACH), ("no-network", "2600::1", ENETUNREACH),
        ("link-down", "12.0.0.1", ENETUNREACH), ("link-down", "2600::1", ENETUNREACH),
        ("device-deleted", "12.0.0.1", ENETUNREACH), ("device-deleted", "2600::1", ENETUNREACH),
        ("route-deleted", "12.0.0.1", ENETUNREACH), ("route-deleted", "2600::1", ENETUNREACH),
        ("address-deleted", "12.0.0.1", ENETUNREACH), ("ipv6-only", "12.0.0.1", ENETUNREACH),
        ("ipv4-only", "2600::1", ENETUNREACH),
        ("prohibit-rule", "12.0.0.1", EACCES), ("prohibit-rule", "2600::1", EACCES),
        ("unreachable-default", "12.0.0.1", EHOSTUNREACH), ("unreachable-default", "2600::1", EHOSTUNREACH),
        ("blackhole", "12.0.0.1", EINVAL), ("blackhole", "2600::1", EINVAL),
        ("throw", "198.51.100.9", ENETUNREACH), ("throw", "2001:db8:100::9", ENETUNREACH),
    ])
    func `is a refusal with its errno`(_ name: String, _ destination: String, _ code: Int32) throws {
        let answer = try situation(name).kernel.route(RouteQuery(#require(IPAddress(destination))))
        #expect(answer == .refused(code))
    }

    @Test func `is a default route with its router, interface and source`() throws {
        for (destination, router, source) in [
            ("12.0.0.1", "10.77.0.1", "10.77.0.2"), ("2600::1", "2001:db8:77::1", "2001:db8:77::2"),
        ] {
            let found = try #require(try route("ordinary", destination))
            #expect(found.kind == .unicast && found.prefix == nil && found.prefixLength == 0)
            #expect(found.table == 254 && found.metric == 100 && found.protocolNumber == 3)
            #expect(found.nextHops == [Route.NextHop(interface: 2, gateway: IPAddress(router))])
            let resolved = Route.Resolved(interface: 2, gateway: IPAddress(router), source: IPAddress(source))
            #expect(found.resolved == resolved)
        }
    }

    @Test func `reports a lost carrier only by a flag`() throws {
        for destination in Self.ipv4 + Self.ipv6 {
            let hop = try #require(try route("carrier-lost", destination)?.nextHops.first)
            #expect(hop.isLinkDown && !hop.isDead)
        }
        let link = try #require(try situation("carrier-lost").kernel.link(2))
        #expect(link.name == "up0" && link.virtualKind == "veth" && link.isUp && !link.isRunning)
    }

    @Test func `has the prefixes of a VPN's two halves`() throws {
        for (destination, prefix, length) in [
            ("12.0.0.1", "0.0.0.0", 1), ("193.0.0.1", "128.0.0.0", 1), ("2600::1", "2000::", 4),
            ("3000::1", "3000::", 4),
        ] {
            let found = try #require(try route("vpn-halves", destination))
            #expect(found.prefixLength == length)
            #expect((found.prefix ?? IPAddress("0.0.0.0")) == IPAddress(prefix))
            #expect(found.nextHops == [Route.NextHop(interface: 3)])
        }
        let tunnel = try #require(try situation("vpn-halves").kernel.link(3))
        #expect(tunnel.virtualKind == "tun" && tunnel.hardwareType == 65_534)
    }

    @Test func `has the route through the requested interface`() throws {
        let kernel = try situation("two-uplinks").kernel
        for (destination, metrics) in [("12.0.0.1", [2: UInt32(100), 3: 200]), ("fe80::1", [2: 256, 3: 256])] {
            for (interface, metric) in metrics {
                let query = RouteQuery(try #require(IPAddress(destination)), interface: Int32(interface))
                guard case .route(let route) = kernel.route(query) else {
                    Issue.record("no route to \(destination) by \(interface)")
                    continue
                }
                #expect(route.nextHops.map(\.interface) == [Int32(interface)] && route.metric == metric)
            }
        }
    }

    @Test func `has each next hop of a multipath route`() throws {
        for (destination, routers) in [
            ("12.0.0.1", ["10.77.0.1", "10.77.1.1"]), ("2600::1", ["2001:db8:77::1", "2001:db8:77:1::1"]),
        ] {
            let both = try #require(try route("multipath", destination))
            #expect(both.nextHops.map(\.gateway) == routers.map { IPAddress($0) })
            #expect(both.nextHops.map(\.interface) == [2, 3])
            let half = try #require(try route("multipath-half-lost", destination))
            #expect(half.nextHops.map(\.isLinkDown) == [true, false])
        }
    }

    @Test func `names a nexthop object, expanded or not`() throws {
        for (destination, number) in [("12.0.0.1", UInt32(10)), ("2600::1", 11)] {
            let spelled = try #require(try route("nexthop-object", destination))
            #expect(spelled.nextHopID == number && spelled.nextHops.count == 1)
            let plain = try #require(try route("nexthop-object-plain", destination))
            #expect(plain.nextHopID == number && plain.nextHops.isEmpty)
            #expect(plain.resolved == spelled.resolved && plain.resolved?.interface == 2)
        }
    }

    @Test func `has a router of the other family`() throws {
        let found = try #require(try route("other-family", "12.0.0.1"))
        #expect(found.nextHops == [Route.NextHop(interface: 2, gateway: IPAddress("2001:db8:77::1"))])
        #expect(found.resolved?.gateway == IPAddress("2001:db8:77::1"))
        #expect(found.resolved?.source == IPAddress("10.77.0.2"))
    }

    @Test func `gives one user another table`() throws {
        for destination in ["198.51.100.9", "2001:db8:100::9"] {
            #expect(try route("rule-to-table", destination)?.table == 254)
            #expect(try route("rule-to-table", destination, uid: 1_000)?.table == 1_000)
            #expect(try route("rule-to-table", destination, uid: 1_000)?.resolved?.interface == 3)
        }
        let rules = try #require(try situation("rule-to-table").kernel.rules(.ipv4))
        #expect(rules.map(\.priority) == [0, 1_000, 1_001, 32_766, 32_767])
        var users = RoutingRule(priority: 1_000, action: .table(1_000))
        users.users = 1_000...1_000
        #expect(rules[1] == users)
        var narrow = RoutingRule(priority: 1_001, action: .table(1_000))
        narrow.source = IPAddress("192.0.2.0").map { RoutingRule.Prefix($0, length: 24) }
        narrow.destination = IPAddress("198.51.100.0").map { RoutingRule.Prefix($0, length: 24) }
        (narrow.inputInterface, narrow.outputInterface) = ("lo", "up1")
        narrow.mark = RoutingRule.Mark(1, mask: 0xff)
        #expect(rules[2] == narrow)
        #expect(rules[3].suppressedPrefixLength == nil && !rules[3].hasOtherConditions)
    }

    @Test func `marks conditions of a rule that are not decoded`() throws {
        let rules = try #require(try situation("rules").kernel.rules(.ipv4))
        #expect(rules.first { $0.priority == 200 }?.suppressedPrefixLength == 0)
        #expect(
            (201...204).allSatisfy { number in
                rules.contains { $0.priority == number && $0.hasOtherConditions }
            })
        #expect(rules.first { $0.priority == 205 }?.action == .blackhole)
        let inverted = try #require(rules.first { $0.priority == 206 })
        #expect(inverted.isInverted && inverted.action == .unreachable)
        #expect(rules.first { $0.priority == 207 }?.action == .goto(32_766))
    }

    @Test func `has tentative and duplicate addresses`() throws {
        func addresses(_ name: String) throws -> [InterfaceAddress] {
            try #require(situation(name).kernel.addresses(of: 2)).filter { !$0.address.isLinkLocal }
        }
        let tentative = try #require(try addresses("tentative-address").first)
        #expect(tentative.address == IPAddress("2001:db8:77::3") && tentative.isTentative && !tentative.isDuplicate)
        let duplicate = try #require(try addresses("duplicate-address").first)
        #expect(duplicate.address == IPAddress("2001:db8:77::1") && duplicate.isDuplicate)
        let ready = try #require(try addresses("ordinary").last)
        #expect(ready.prefixLength == 64 && ready.scope == 0 && !ready.isTentative && !ready.isDuplicate)
        let chosen = try #require(try route("tentative-address", "2600::1")?.resolved)
        #expect(chosen.source?.isLinkLocal == true, "the kernel chooses a ready address, even an unsuitable one")
    }

    @Test func `has a router that does not reply, and since when`() throws {
        for router in ["10.77.0.1", "2001:db8:77::1"] {
            let address = try #require(IPAddress(router))
            let found = try #require(try situation("neighbour-failed").kernel.neighbour(address, on: 2))
            #expect(found.state == .failed)
            #expect((1...10_000).contains(found.ageMilliseconds))
        }
    }

    @Test func `has the virtual kind of each virtual interface`() throws {
        let links = try #require(try situation("bridge").kernel.links())
        #expect(links.map(\.name) == ["lo", "up0", "br0"])
        #expect(links.map(\.virtualKind) == [nil, "veth", "bridge"])
        #expect(links.map(\.hardwareType) == [772, 1, 1])
    }

    @Test func `is missing for queries that were not recorded`() throws {
        let kernel = try situation("ordinary").kernel
        #expect(kernel.route(RouteQuery(try #require(IPAddress("192.0.2.77")))) == .noAnswer)
        #expect(kernel.link(77) == nil && kernel.addresses(of: 77) == nil)
    }
}
