import Glibc
import Interfaces
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// A daemon in a network of its own, and the information from other services of the machine: name servers,
/// NetworkManager.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct NetworkServicesTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork(.ipv4) }

    private func start(environment: [String] = []) throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance + ["/usr/bin/env"] + environment
        return try DaemonProcess(in: try TemporaryDirectory(), configuration: "", surroundings: surroundings)
    }

    @Test(.enabled(if: NameServer.isPossible, "dnsmasq is not installed"))
    func `a host is known as soon as a name server replies, and an invalid name immediately`() throws {
        let server = try NameServer(in: network.machine)
        let daemon = try start()
        func reader() throws -> NetworkReader { try network.machine.inside { try NetworkReader(daemon.socketPath) } }
        #expect(try #require(try reader().path()).supportsDNS)
        let watching = try reader()
        try watching.watch("one.example")
        let first = try watching.target(.unknown)
        #expect(first.reason == .resolving || first.reason == .nameServerNotAnswering)
        let unanswered = try first.reason == .resolving ? watching.nextTarget() : first
        #expect(unanswered.status == .unknown && unanswered.reason == .nameServerNotAnswering)
        try server.start()
        // It is queried again after 1 s, 2 s, 4 s.
        let known = try watching.target(.reachable)
        #expect(known.address == IPAddress("198.51.100.1") && known.gateway == IPAddress(TestNetwork.routerIPv4()))
        let missing = try #require(
            try reader().target("missing.example", where: { $0.reason == .nameNotFound }))
        #expect(missing.target.status == .unreachable && missing.target.reason == .nameNotFound)
        let international = try #require(
            try reader().target("bücher.example", where: { $0.status == .reachable }))
        #expect(international.target.address == IPAddress("198.51.100.4"), "\(international)")
    }

    @Test(.enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is not installed"))
    func `a network is expensive while NetworkManager reports it as metered`() throws {
        let bus = try PrivateBus()
        let daemon = try start(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
        let reader = try NetworkReader(daemon.socketPath)
        try reader.watchPath()
        // The search for a NetworkManager may not have finished yet.
        #expect(try !reader.path(.satisfied).isExpensive)
        let desk = try NetworkManagerDesk(
            bus, [NetworkManagerDesk.path(1): .init(interface: "up0", addressInterface: "up0", metered: 1)])
        #expect(try reader.nextPath().isExpensive)
        desk.meter(1, 4)
        #expect(try !reader.nextPath().isExpensive)
        desk.meter(1, 3)
        #expect(try reader.nextPath().isExpensive)
        desk.leave()
        #expect(try !reader.nextPath().isExpensive)
    }

    @Test(.enabled(if: access("/usr/bin/dbus-daemon", X_OK) == 0, "dbus-daemon is not installed"))
    func `a daemon that stops does not report a metered network as free`() throws {
        let bus = try PrivateBus()
        let desk = try NetworkManagerDesk(
            bus, [NetworkManagerDesk.path(1): .init(interface: "up0", addressInterface: "up0", metered: 1)])
        let daemon = try start(environment: ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
        let path = try NetworkReader(daemon.socketPath)
        try path.watchPath()
        // The daemon waits two seconds for the reply of NetworkManager, and then reports the path without it.
        #expect(try path.expensivePath().status == .satisfied)
        let host = try NetworkReader(daemon.socketPath)
        try host.watch("192.0.2.1")
        #expect(try host.target(.reachable).isExpensive)
        #expect(try daemon.stop() == .exited(0))
        // The connections end, and nothing was reported before.
        #expect(throws: (any Error).self) { try path.nextPath() }
        #expect(throws: (any Error).self) { try host.nextTarget() }
        withExtendedLifetime(desk) {}
    }
}
