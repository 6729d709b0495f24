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
struct `A handed-over socket` {
    private let network: TestNetwork
    private let query: RouteQuery

    init() throws {
        network = try TestNetwork(.ipv4, uplinks: 1)
        query = RouteQuery(try #require(IPAddress(TestNetwork.worldIPv4)))
    }

    /// A socket in the machine's namespace as systemd opens it, `ListenNetlink=`: inherited by child processes.
    private func handed(_ protocolNumber: Int32 = NETLINK_ROUTE, groups: UInt32 = 0) throws -> OwnedDescriptor {
        try network.machine.inside {
            let descriptor = try OwnedDescriptor("socket") {
                socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), protocolNumber)
            }
            var address = sockaddr_nl()
            address.nl_family = sa_family_t(AF_NETLINK)
            address.nl_groups = groups
            try retrying("bind") {
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
                    }
                }
            }
            return descriptor
        }
    }

    @Test func `receives events of the network where it was opened, whatever its groups were`() throws {
        var socket = try EventSocket(NetlinkSocket(adopting: handed()))
        try network.machine.ip("route del default")
        #expect(Heard(&socket).has(Int(RTM_DELROUTE)))
        #expect(socket.receiveBufferBytes >= 2 << 20)
    }

    @Test func `receives later events even if its previous owner left it full and knew that`() throws {
        let held = try handed()
        let number = held.number
        do {
            var crashed = try EventSocket(NetlinkSocket(adopting: OwnedDescriptor("dup") { dup(number) }))
            try network.addRoutes(8_000)
            #expect(crashed.drain().overrun)
        }
        var socket = try EventSocket(NetlinkSocket(adopting: OwnedDescriptor("dup") { dup(number) }))
        try network.machine.ip("route del default")
        #expect(Heard(&socket).types == [Int(RTM_DELROUTE)])
        withExtendedLifetime(held) {}
    }

    @Test func `does not wake another holder after it was left`() throws {
        let held = try handed()
        let number = held.number
        var socket = try EventSocket(NetlinkSocket(adopting: OwnedDescriptor("dup") { dup(number) }))
        func isReadable() throws -> Bool { try PollDeadline(seconds: 0).poll(number, for: POLLIN) }
        try network.addRoutes(500)
        #expect(try isReadable())
        socket.leave()
        #expect(try !isReadable())
        try network.machine.ip("route del default")
        #expect(try !isReadable())
        withExtendedLifetime(held) {}
    }

    @Test func `queries the network where it was opened, undisturbed by announcements`() throws {
        let all: UInt32 = 0xffff_ffff
        let querying = QuerySocket(try NetlinkSocket(adopting: handed(groups: all)))
        try network.addRoutes(200)
        let inquiry = KernelInquiry(exchange: querying)
        guard case .route(let route) = inquiry.route(query) else {
            Issue.record("no route")
            return
        }
        #expect(route.resolved?.gateway == IPAddress("10.77.0.1"))
        #expect(querying.counters == QuerySocket.Counters())
    }

    @Test func `works after its previous owner was killed during a query`() throws {
        let announcing = try handed()
        let querying = try handed()
        func again(_ number: Int32) throws -> NetlinkSocket {
            try NetlinkSocket(adopting: OwnedDescriptor("dup") { dup(number) })
        }
        try network.addRoutes(2_000)
        do {
            let first = try EventSocket(again(announcing.number))
            _ = first.number
            try expectAnswers(KernelInquiry(socket: again(querying.number)))
            // RTM_GETROUTE with NLM_F_REQUEST and NLM_F_DUMP, whose replies nobody reads.
            let dump: [UInt8] = [20, 0, 0, 0, 26, 0, 1, 3, 99, 0, 0, 0] + [0, 0, 0, 0] + [2, 0, 0, 0]
            #expect(send(querying.number, dump, dump.count, 0) == dump.count)
        }
        try expectAnswers(KernelInquiry(socket: again(querying.number)))
        var socket = try EventSocket(again(announcing.number))
        _ = socket.drain()
        try network.machine.ip("route del default")
        #expect(Heard(&socket).has(Int(RTM_DELROUTE)))
        #expect(announcing.number >= 0 && querying.number >= 0)
    }

    @Test func `never blocks its owner, and is not inherited by child processes`() throws {
        let socket = try NetlinkSocket(adopting: handed())
        #expect(fcntl(socket.number, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket.number, F_GETFD) & FD_CLOEXEC != 0)
        #expect(NetlinkSocket.isRouteSocket(socket.number))
    }

    @Test func `is rejected if it is of another kind`() throws {
        let unix = try OwnedDescriptor("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
        for number in [try handed(NETLINK_GENERIC).release(), unix.release()] {
            #expect(!NetlinkSocket.isRouteSocket(number))
            let error = #expect(throws: NetlinkError.self) {
                _ = try NetlinkSocket(adopting: OwnedDescriptor(adopting: number)).number
            }
            #expect(error?.description.hasPrefix("adopt a netlink socket: ") == true)
        }
    }

    @Test func `works for a user without privileges`() throws {
        try #require(OtherUser.isPossible)
        let (querying, listening) = (try handed().release(), try handed().release())
        try OtherUser.act {
            let inquiry = KernelInquiry(socket: try NetlinkSocket(adopting: OwnedDescriptor(adopting: querying)))
            try expectAnswers(inquiry)
            var socket = try EventSocket(NetlinkSocket(adopting: OwnedDescriptor(adopting: listening)))
            #expect(!socket.drain().overrun)
            #expect(socket.receiveBufferBytes > 100_000)
        }
    }

    @Test func `of an unprivileged user works as well`() throws {
        try #require(OtherUser.isPossible)
        let inquiry = try network.machine.inside {
            try OtherUser.act { KernelInquiry(socket: try NetlinkSocket()) }
        }
        try OtherUser.act { try expectAnswers(inquiry) }
        var socket = try network.machine.inside { try OtherUser.act { try EventSocket(NetlinkSocket()) } }
        try network.machine.ip("neighbour add 10.77.0.50 dev up0 nud stale lladdr 02:00:00:00:00:50")
        try network.machine.ip("route del default")
        try OtherUser.act {
            let heard = Heard(&socket)
            #expect(heard.has(Int(RTM_DELROUTE)) && !heard.has(Int(RTM_NEWNEIGH)))
        }
    }

    private func expectAnswers(_ inquiry: KernelInquiry) throws {
        guard case .route(let route) = inquiry.route(query), let hop = route.nextHops.first,
            let gateway = hop.gateway
        else {
            Issue.record("no route")
            return
        }
        #expect(inquiry.link(hop.interface)?.name == "up0")
        #expect(inquiry.links()?.count == 2)
        #expect(inquiry.addresses(of: hop.interface)?.contains { $0.address == IPAddress("10.77.0.2") } == true)
        #expect(inquiry.rules(.ipv4)?.count == 3)
        try network.machine.ip("neighbour replace \(gateway) dev up0 nud stale lladdr 02:00:00:00:00:01")
        #expect(inquiry.neighbour(gateway, on: hop.interface)?.state == .stale)
    }
}
