import CNetlink
import Glibc
import Netlink
import NetworkPaths
import Platform
import Reachability
import TestSupport
import TestTraits
import Testing

@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "requires root and network namespaces"))
struct `A query socket` {
    private let network: TestNetwork
    private let query: RouteQuery

    init() throws {
        network = try TestNetwork(.ipv4, uplinks: 1)
        query = RouteQuery(try #require(IPAddress(TestNetwork.worldIPv4)))
    }

    /// A socket in the machine's namespace, and another descriptor of it for disturbing it.
    private struct Sockets: ~Copyable {
        let querying: QuerySocket
        let same: OwnedDescriptor
    }

    private func sockets() throws -> Sockets {
        let socket = try network.machine.inside { try NetlinkSocket() }
        let same = try OwnedDescriptor("dup") { dup(socket.number) }
        return Sockets(querying: QuerySocket(socket), same: same)
    }

    private func isRoute(_ answer: RouteAnswer) -> Bool {
        if case .route(let route) = answer { route.resolved?.gateway == IPAddress("10.77.0.1") } else { false }
    }

    @Test func `queries whether the machine forwards`() throws {
        let inquiry = try network.machine.inside { KernelInquiry(socket: try NetlinkSocket()) }
        for (family, name) in [(IPAddress.Family.ipv4, "ipv4/ip_forward"), (.ipv6, "ipv6/conf/all/forwarding")] {
            #expect(inquiry.forwards(family) == false)
            try network.machine.set("net/\(name)", "1")
            #expect(inquiry.forwards(family) == true)
        }
    }

    @Test func `ignores the reply to an earlier request`() throws {
        let sockets = try sockets()
        let querying = sockets.querying
        // RTM_GETLINK of interface 1, with its own sequence number.
        let earlier: [UInt8] = [32, 0, 0, 0, 18, 0, 1, 0, 77, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [1]
        #expect(send(earlier + [UInt8](repeating: 0, count: 32 - earlier.count), over: sockets.same.number) == 32)
        let inquiry = KernelInquiry(exchange: querying)
        #expect(isRoute(inquiry.route(query)))
        #expect(querying.counters == QuerySocket.Counters(unanswered: 0, strays: 1))
    }

    @Test func `ignores messages of other programs`() throws {
        let sockets = try sockets()
        let querying = sockets.querying
        let target = sockets.same.number
        let sent = try network.machine.inside {
            let other = try NetlinkSocket()
            return (1...3).map { sendRaw([UInt8](repeating: $0, count: 40), from: other.number, to: target) }
        }
        #expect(sent == [40, 40, 40])
        #expect(isRoute(KernelInquiry(exchange: querying).route(query)))
        #expect(querying.counters.strays == 3)
    }

    @Test func `has no reply while it is full of other messages, and is empty afterwards`() throws {
        let sockets = try sockets()
        let querying = sockets.querying
        var group = Int32(RTNLGRP_IPV4_ROUTE.rawValue)
        let joined = setsockopt(
            sockets.same.number, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, socklen_t(MemoryLayout<Int32>.size))
        #expect(joined == 0)
        try network.addRoutes(1_000)
        let inquiry = KernelInquiry(exchange: querying)
        #expect(inquiry.route(query) == .noAnswer)
        #expect(querying.counters.unanswered == 1)
        #expect(isRoute(inquiry.route(query)))
        #expect(inquiry.links()?.count == 2)
    }

    @Test func `has no reply if it cannot send, and does not block`() throws {
        let sockets = try sockets()
        let querying = sockets.querying
        // A filter that passes nothing, as a security policy might.
        var nothing = sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: 0)
        withUnsafeMutablePointer(to: &nothing) { instruction in
            var program = sock_fprog(len: 1, filter: instruction)
            let size = socklen_t(MemoryLayout<sock_fprog>.size)
            #expect(setsockopt(sockets.same.number, SOL_SOCKET, SO_ATTACH_FILTER, &program, size) == 0)
        }
        let inquiry = KernelInquiry(exchange: querying)
        #expect(inquiry.route(query) == .noAnswer)
        #expect(inquiry.links() == nil && inquiry.link(1) == nil && inquiry.addresses(of: 1) == nil)
        #expect(inquiry.rules(.ipv4) == nil)
        #expect(querying.counters.unanswered == 5)
        var none: Int32 = 0
        #expect(setsockopt(sockets.same.number, SOL_SOCKET, SO_DETACH_FILTER, &none, 4) == 0)
        #expect(isRoute(inquiry.route(query)))
    }

    @Test func `distinguishes a missing interface from a missing reply`() throws {
        let querying = try sockets().querying
        let inquiry = KernelInquiry(exchange: querying)
        #expect(inquiry.link(77) == nil)
        #expect(inquiry.neighbour(try #require(IPAddress("10.77.0.9")), on: 2) == nil)
        #expect(querying.counters.unanswered == 0)
    }

    @Test func `reads long lists to the end`() throws {
        try network.machine.batch(
            (0..<300).map { "link add pair\($0) type veth peer name other\($0)" }
                + (0..<250).map { "address add 192.0.2.\($0 + 1)/32 dev up0" })
        let querying = try sockets().querying
        let inquiry = KernelInquiry(exchange: querying)
        let links = try #require(inquiry.links())
        #expect(links.count == 602 && Set(links.map(\.name)).count == 602)
        let uplink = try #require(links.first { $0.name == "up0" })
        #expect(try #require(inquiry.addresses(of: uplink.index)).count { !$0.address.isLinkLocal } == 251)
        #expect(isRoute(inquiry.route(query)))
        #expect(querying.counters == QuerySocket.Counters())
    }

    /// Queries of all kinds, with replies of all kinds.
    private func queries() throws -> [KernelQuery] {
        let router = try #require(IPAddress("10.77.0.1"))
        let nobody = try #require(IPAddress("10.77.0.99"))
        let version6 = RouteQuery(try #require(IPAddress("2600::1")))
        var elsewhere = query
        elsewhere.interface = 1
        return [
            .resolvedRoute(query), .route(query), .neighbour(Gateway(nobody, on: 2)), .route(version6),
            .resolvedRoute(version6),
            .route(RouteQuery(router, uid: 1_000)), .resolvedRoute(elsewhere),
            .route(RouteQuery(try #require(IPAddress("127.0.0.1")))),
        ]
    }

    private func expectSameAnswers(_ inquiry: KernelInquiry, _ queries: [KernelQuery]) {
        inquiry.query(queries)
        for (place, query) in queries.enumerated() {
            let alone: KernelAnswer =
                switch query {
                case .route(let query): .route(inquiry.route(query))
                case .resolvedRoute(let query): .route(inquiry.resolvedRoute(query))
                case .neighbour(let gateway):
                    .neighbour(inquiry.neighbour(gateway.address, on: gateway.interface))
                }
            #expect(inquiry.answer(at: place) == alone, "\(query)")
        }
        #expect(inquiry.answer(at: queries.count) == nil)
    }

    @Test func `has the same replies to a batch of queries`() throws {
        let querying = try sockets().querying
        let inquiry = KernelInquiry(exchange: querying)
        let queries = try queries()
        expectSameAnswers(inquiry, queries)
        expectSameAnswers(inquiry, Array(queries.reversed()))
        try network.machine.ip("route del default")
        expectSameAnswers(inquiry, queries)
        // More than one system call receives.
        let many = (0..<32).map { queries[$0 % queries.count] }
        expectSameAnswers(inquiry, many)
        #expect(querying.counters == QuerySocket.Counters())
    }

    @Test func `ignores the reply to an earlier request within a batch`() throws {
        let sockets = try sockets()
        let inquiry = KernelInquiry(exchange: sockets.querying)
        let earlier: [UInt8] = [32, 0, 0, 0, 18, 0, 1, 0, 77, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [1]
        #expect(send(earlier + [UInt8](repeating: 0, count: 32 - earlier.count), over: sockets.same.number) == 32)
        inquiry.query(try queries())
        #expect(inquiry.answer(at: 0) == .route(inquiry.resolvedRoute(query)))
        #expect(sockets.querying.counters.strays > 0)
    }

    @Test func `has a long reply only to a query on its own`() throws {
        let routes = (2..<60).map { "nexthop via 10.77.0.\($0) dev up0" }.joined(separator: " ")
        try network.machine.ip("route add 198.51.100.0/24 \(routes)")
        let inquiry = KernelInquiry(exchange: try sockets().querying)
        let long = RouteQuery(try #require(IPAddress("198.51.100.7")))
        inquiry.query([.resolvedRoute(query), .route(long), .resolvedRoute(query)])
        #expect(inquiry.answer(at: 1) == nil)
        #expect(inquiry.answer(at: 2) == .route(inquiry.resolvedRoute(query)))
        guard case .route(let route) = inquiry.route(long) else { return #expect(Bool(false), "no route") }
        #expect(route.nextHops.count == 58)
    }

    @Test func `queries the network that it was opened in`() throws {
        let querying = try sockets().querying
        let outside = QuerySocket(try NetlinkSocket())
        #expect(querying.network != nil && querying.network != outside.network)
    }

    private func send(_ bytes: [UInt8], over socket: Int32) -> Int {
        var kernel = sockaddr_nl()
        kernel.nl_family = sa_family_t(AF_NETLINK)
        return withUnsafePointer(to: &kernel) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
    }
}
