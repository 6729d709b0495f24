import Glibc
import Netlink
import NetworkPaths
import Platform
import Reachability
import TestSupport
import Testing

@Suite(.serialized) struct `Queries of this machine's kernel` {
    let inquiry: KernelInquiry

    init() throws {
        inquiry = KernelInquiry(socket: try NetlinkSocket())
    }

    @Test func `loopback is local, from itself, through lo`() throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        guard case .route(let route) = inquiry.route(RouteQuery(loopback)) else {
            Issue.record("no route to \(loopback)")
            return
        }
        #expect(route.kind == .local)
        #expect(route.resolved?.source == loopback)
        let interface = try #require(route.resolved?.interface)
        let link = try #require(inquiry.link(interface))
        #expect(link.name == "lo" && link.isRunning && link.hardwareType == 772)
        #expect(try #require(inquiry.links()).contains(link))
        #expect(try #require(inquiry.addresses(of: interface)).contains { $0.address == loopback && $0.scope == 254 })
    }

    @Test func `a packet has a source on this machine, or no route`() throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        guard case .route = inquiry.route(RouteQuery(loopback, source: loopback)) else {
            Issue.record("no route from \(loopback)")
            return
        }
        let foreign = try #require(IPAddress("192.0.2.1"))
        guard case .refused = inquiry.route(RouteQuery(loopback, source: foreign)) else {
            Issue.record("a route from \(foreign)")
            return
        }
    }

    @Test func `a missing interface has no description and no addresses`() {
        #expect(inquiry.link(2_000_000_000) == nil)
        #expect(inquiry.addresses(of: 2_000_000_000) == nil)
    }

    @Test func `the rules are in their order of evaluation`() throws {
        for family in IPAddress.Family.allCases {
            let rules = try #require(inquiry.rules(family))
            #expect(rules.map(\.priority) == rules.map(\.priority).sorted())
            #expect(rules.first { $0.priority == 32_766 }?.action == .table(254))
        }
    }
}
