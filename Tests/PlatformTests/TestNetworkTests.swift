import CLinux
import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

/// What the tests' own networks do, which the tests of reachability build upon.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "only root can make a network namespace"))
struct TestNetworkTests {
    @Test(arguments: TestNetwork.Family.allCases)
    func `a machine reaches the world by its first uplink`(family: TestNetwork.Family) throws {
        let network = try TestNetwork(family, uplinks: 2)
        for world in network.world {
            #expect(try network.machine.ip("route get \(world)").contains("dev up0 "))
        }
        for route in network.defaults() { try network.machine.ip("route del \(route)") }
        for world in network.world {
            #expect(try network.machine.ip("route get \(world)").contains("dev up1 "))
        }
    }

    @Test func `a command that fails is reported, and the next one works`() throws {
        let network = try PrivateNetwork()
        #expect(throws: PrivateNetwork.Failure.self) { try network.ip("link set missing up") }
        #expect(throws: PrivateNetwork.Failure.self) { try network.ip("link del") }
        #expect(try network.ipCan("route get 198.51.100.9") == false)
        #expect(try network.ip("address show lo").contains("LOOPBACK"))
    }

    @Test func `an interface that is made again under its name is the one that is meant`() throws {
        let network = try TestNetwork(.ipv4)
        try network.machine.ip("link del up0")
        try network.connect()
        #expect(try network.machine.ip("route get \(TestNetwork.worldIPv4)").contains("dev up0 "))
        try network.machine.ip("link set up0 down")
        try network.machine.ip("link set up0 name wan0")
        try network.machine.ip("link set wan0 up")
        #expect(try network.machine.ip("route get \(TestNetwork.routerIPv4())").contains("dev wan0 "))
    }

    @Test func `a program, a thread and a value are those of the network`() throws {
        let network = try PrivateNetwork()
        try network.replace("resolv.conf", "nameserver 192.0.2.1\n")
        #expect(try network.shell("cat /etc/resolv.conf; ls /sys/class/net") == "nameserver 192.0.2.1\nlo\n")
        #expect(try network.run("/usr/bin/id", ["-un"]).output == "root\n")
        #expect(
            try network.inside { try BoundedFile.bytes(of: "/proc/thread-self/net/dev", limit: 65_536) }.count < 1_000)
        try network.set("net/ipv4/ip_forward", "1")
        #expect(try network.shell("cat /proc/sys/net/ipv4/ip_forward") == "1\n")
    }

    @Test func `a network ends with its value`() throws {
        // A number would not do: another process may get it at once.
        let holder: OwnedDescriptor
        do {
            let network = try PrivateNetwork()
            holder = OwnedDescriptor(adopting: waymark_pidfd_open(network.processID))
            #expect(try !PollDeadline(seconds: 0).poll(holder.number, for: POLLIN))
        }
        #expect(try PollDeadline(seconds: 0).poll(holder.number, for: POLLIN))
    }
}
