import CNetlink
import Glibc
import Netlink
import NetworkPaths
import Reachability
import TestSupport
import TestTraits
import Testing

/// All announcements up to now. The kernel sends them before the command that causes them returns, except for carriers,
/// neighbours and their consequences.
struct Heard {
    /// The RTM_* types of the messages.
    var types: [Int] = []
    /// The resulting events.
    var events = NetworkEvents()

    init(_ socket: inout EventSocket) {
        for _ in 0..<100 {
            let more = socket.drain { types.append(Int($0[4]) | Int($0[5]) << 8) }
            if more.isEmpty { return }
            events.count += more.count
            events.overrun = events.overrun || more.overrun
            events.interrupted.formUnion(more.interrupted)
            events.lostAddresses.formUnion(more.lostAddresses)
            events.changedLinks.formUnion(more.changedLinks)
        }
        Issue.record("the announcements do not end")
    }

    func has(_ type: Int) -> Bool { types.contains(type) }
}

@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "requires root and network namespaces"))
struct `An event socket` {
    private let network: TestNetwork

    init() throws {
        network = try TestNetwork(.both, uplinks: 1)
    }

    private func listen(receiveBufferBytes: Int32 = 1 << 20) throws -> EventSocket {
        try network.machine.inside { try EventSocket(NetlinkSocket(), receiveBufferBytes: receiveBufferBytes) }
    }

    private func uplink() throws -> Int32 {
        let inquiry = KernelInquiry(socket: try network.machine.inside { try NetlinkSocket() })
        return try #require(inquiry.links()?.first { $0.name == "up0" }?.index)
    }

    @Test func `receives nothing while nothing happens`() throws {
        let quiet = try PrivateNetwork()
        var socket = try quiet.inside { try EventSocket(NetlinkSocket()) }
        #expect(socket.drain().isEmpty)
        #expect(socket.counters == EventSocket.Counters())
    }

    @Test(arguments: [
        ("-4 route del default", Int(RTM_DELROUTE)), ("-6 route del default", Int(RTM_DELROUTE)),
        ("-4 route add 192.0.2.0/24 via 10.77.0.1", Int(RTM_NEWROUTE)), ("-4 rule add prohibit", Int(RTM_NEWRULE)),
        ("-6 rule add prohibit", Int(RTM_NEWRULE)), ("nexthop add id 7 via 10.77.0.1 dev up0", Int(RTM_NEWNEXTHOP)),
        ("address add 10.77.0.9/24 dev up0", Int(RTM_NEWADDR)),
        ("address add 2001:db8:77::9/64 dev up0 nodad", Int(RTM_NEWADDR)),
    ])
    func `receives a change without an interruption`(_ command: String, _ type: Int) throws {
        var socket = try listen()
        try network.machine.ip(command)
        // The kernel first checks IPv6 addresses for duplicates, and announces them after that.
        let isHeard = eventually {
            let heard = Heard(&socket)
            #expect(!heard.events.overrun && heard.events.interrupted.isEmpty && heard.events.lostAddresses.isEmpty)
            return heard.has(type)
        }
        #expect(isHeard)
        #expect(socket.counters.messages > 0 && socket.counters.bytes > 0)
    }

    @Test func `receives which addresses were removed`() throws {
        var socket = try listen()
        try network.machine.ip("address del 10.77.0.2/24 dev up0")
        try network.machine.ip("address del 2001:db8:77:0::2/64 dev up0")
        let index = try uplink()
        let expected = try ["10.77.0.2", "2001:db8:77::2"].map {
            NetworkEvents.LostAddress(interface: index, address: try #require(IPAddress($0)))
        }
        #expect(Heard(&socket).events.lostAddresses == Set(expected))
    }

    @Test func `receives that a link was down, even if it is up again`() throws {
        var socket = try listen()
        try network.machine.ip("link set up0 down")
        try network.machine.ip("link set up0 up")
        #expect(Heard(&socket).events.interrupted == [try uplink()])
    }

    @Test func `receives that a carrier was lost`() throws {
        var socket = try listen()
        let index = try uplink()
        try network.far.ip("link set far0 down")
        // linkwatch reports up to a second late.
        #expect(eventually(within: 60) { socket.drain().interrupted == [index] })
    }

    @Test func `receives that an interface was removed`() throws {
        var socket = try listen()
        let index = try uplink()
        try network.machine.ip("link del up0")
        let events = Heard(&socket).events
        #expect(events.interrupted.contains(index) && events.changedLinks.contains(index))
    }

    @Test func `does not treat a port that leaves its bridge as removed`() throws {
        try network.machine.ip([
            "link add br0 type bridge", "link set br0 up", "link add left type veth peer name right",
            "link set right up", "link set left up master br0",
        ])
        let inquiry = KernelInquiry(socket: try network.machine.inside { try NetlinkSocket() })
        let port = try #require(inquiry.links()?.first { $0.name == "left" })
        // linkwatch reports up to a second late.
        #expect(eventually { inquiry.link(port.index)?.isRunning == true })
        var socket = try listen()
        _ = Heard(&socket)
        try network.machine.ip("link set left nomaster")
        let events = Heard(&socket).events
        #expect(events.changedLinks.contains(port.index) && !events.interrupted.contains(port.index))
    }

    @Test func `receives of all changes of neighbours only failures`() throws {
        var socket = try listen()
        let neighbour = "10.77.0.50 dev up0 lladdr 02:00:00:00:00:50"
        for state in ["stale", "reachable", "permanent"] {
            try network.machine.ip("neighbour replace \(neighbour) nud \(state)")
        }
        #expect(!Heard(&socket).has(Int(RTM_NEWNEIGH)))
        try network.machine.ip("neighbour replace \(neighbour) nud failed")
        #expect(Heard(&socket).has(Int(RTM_NEWNEIGH)))
    }

    @Test func `receives all changes of neighbours on request, except those learned by bridges`() throws {
        var socket = try listen()
        socket.watchesAllNeighbours = true
        let neighbour = "10.77.0.50 dev up0 lladdr 02:00:00:00:00:50"
        try network.machine.ip("neighbour replace \(neighbour) nud stale")
        #expect(Heard(&socket).has(Int(RTM_NEWNEIGH)))
        try network.machine.ip("neighbour del 10.77.0.50 dev up0")
        #expect(Heard(&socket).has(Int(RTM_DELNEIGH)))
        try network.machine.ip(["link add br0 type bridge", "link set br0 up"])
        _ = Heard(&socket)
        let result = try network.machine.run(
            "/usr/sbin/bridge", ["fdb", "add", "02:00:00:00:00:51", "dev", "br0", "self"])
        #expect(result.status.isSuccess, "\(result.error)")
        #expect(!Heard(&socket).has(Int(RTM_NEWNEIGH)))
        socket.watchesAllNeighbours = false
        try network.machine.ip("neighbour replace \(neighbour) nud stale")
        #expect(!Heard(&socket).has(Int(RTM_NEWNEIGH)))
    }

    @Test func `reports once that the kernel had more than it can hold, and continues`() throws {
        var socket = try listen(receiveBufferBytes: 0)
        #expect(socket.receiveBufferBytes < 100_000)
        try network.addRoutes(2_000)
        let events = Heard(&socket).events
        #expect(events.overrun && events.count < 2_000)
        #expect(socket.counters.overruns == 1)
        try network.machine.ip("-4 route del default")
        let later = Heard(&socket)
        #expect(!later.events.overrun && later.has(Int(RTM_DELROUTE)))
    }

    @Test func `reports an overrun again at its end, because the kernel drops silently until then`() throws {
        var socket = try listen()
        let index = try uplink()
        try network.addRoutes(8_000)
        let first = socket.drain()
        #expect(first.overrun && (1...1_024).contains(first.count))
        // The kernel does not announce this: there is room again, but it still drops.
        try network.machine.ip("link set up0 down")
        let rest = socket.drain()
        #expect(rest.overrun && rest.count > 0 && !rest.changedLinks.contains(index))
        try network.machine.ip("link set up0 up")
        let later = Heard(&socket).events
        #expect(!later.overrun && later.changedLinks.contains(index))
        #expect(socket.counters.overruns == 1)
    }

    @Test func `has room for more with the requested buffer`() throws {
        var socket = try listen()
        #expect(socket.receiveBufferBytes >= 2 << 20)
        try network.addRoutes(1_000)
        #expect(!Heard(&socket).events.overrun)
    }

    @Test func `receives a limited number at a time, and leaves the rest for the next call`() throws {
        var socket = try listen(receiveBufferBytes: 8 << 20)
        try network.addRoutes(3_000)
        let first = socket.drain()
        #expect(first.count == 1_024 && !first.overrun)
        #expect(Heard(&socket).events.count >= 3_000 - 1_024)
    }

    @Test func `treats a truncated message as an overrun`() throws {
        for number in 0..<90 {
            let name = String(repeating: "x", count: 120) + String(number)
            try network.machine.ip("link property add dev up0 altname \(name)")
        }
        var socket = try listen()
        try network.machine.ip("link set up0 mtu 1400")
        #expect(Heard(&socket).events.overrun && socket.counters.overruns > 0)
        try network.machine.ip("-4 route del default")
        #expect(!Heard(&socket).events.overrun)
    }

    @Test func `ignores messages of other programs`() throws {
        var socket = try listen()
        let target = socket.number
        let sent = try network.machine.inside {
            let other = try NetlinkSocket()
            // RTM_DELROUTE, as if it came from the kernel.
            return sendRaw([20, 0, 0, 0, 25] + [UInt8](repeating: 0, count: 15), from: other.number, to: target)
        }
        #expect(sent == 20)
        #expect(!Heard(&socket).has(Int(RTM_DELROUTE)))
        #expect(socket.counters.strays == 1)
    }
}

extension TestNetwork {
    /// Adds this number of routes to the machine, in one batch.
    func addRoutes(_ count: Int) throws {
        let lines = (0..<count).map { "route add 172.\(16 + $0 / 65_536).\($0 / 256 % 256).\($0 % 256)/32 dev up0" }
        try machine.batch(lines)
    }
}

extension PrivateNetwork {
    /// Runs all these commands in one call of ip(8).
    func batch(_ commands: [String]) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("batch", commands.joined(separator: "\n") + "\n")
        let result = try run("/sbin/ip", ["-batch", file], seconds: 120)
        #expect(result.status.isSuccess, "\(result.error.prefix(300))")
    }
}

/// Sends bytes from one netlink socket to another. Returns their number, or -1.
func sendRaw(_ bytes: [UInt8], from sender: Int32, to receiver: Int32) -> Int32 {
    var address = sockaddr_nl()
    var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            guard getsockname(receiver, address, &length) == 0 else { return -1 }
            return Int32(sendto(sender, bytes, bytes.count, 0, address, length))
        }
    }
}
