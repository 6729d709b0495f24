import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// Hosts by name, with name servers that start and stop.
@Suite(
    .waits,
    .enabled(
        if: PrivateNetwork.isPossible && OtherUser.isPossible && FarNameServer.program != nil,
        "a network namespace with another user in it needs root; and dnsmasq"))
struct ReachabilityNameTests {
    private static let name = "tracker.test"
    private let network: TestNetwork

    init() throws { network = try TestNetwork(.both, uplinks: 2) }

    private func isReported(
        _ scene: ReachabilityScene, within seconds: Double = Patience.daemon,
        _ condition: (NetworkStream.Reported) -> Bool
    ) throws -> Bool {
        try scene.eventually(within: seconds) { scene.targets.first?.last.map(condition) == true }
    }

    @Test func `a name is found, lost with the network, and found again`() throws {
        let server = try FarNameServer(
            network, at: TestNetwork.routerIPv4(), Self.name, [TestNetwork.worldIPv4, TestNetwork.worldIPv6])
        try server.choose()
        let scene = try ReachabilityScene(network, hosts: [Self.name])
        #expect(try isReported(scene) { $0.isGood && $0.interface == "up0" }, "\(scene.story)")
        // The streams are read one after the other, that of the path first.
        #expect(try scene.eventually { scene.path.last?.json["supportsDNS"]?.boolValue == true }, "\(scene.story)")
        let first = scene.targets.first?.last?.content
        for uplink in 0..<2 { try network.far.ip("link set far\(uplink) down") }
        #expect(try isReported(scene) { $0.reason == .noCarrier }, "\(scene.story)")
        #expect(try scene.eventually { scene.path.last?.json["supportsDNS"]?.boolValue == false }, "\(scene.story)")
        for uplink in 0..<2 { try network.restore(uplink) }
        #expect(try isReported(scene) { $0.content == first }, "\(scene.story)")
    }

    @Test func `no name server replies, and one does later`() throws {
        let server = try FarNameServer(network, at: TestNetwork.routerIPv4(), Self.name, [TestNetwork.worldIPv4])
        try server.choose()
        try server.stop()
        let scene = try ReachabilityScene(network, hosts: [Self.name])
        #expect(
            try isReported(scene) { $0.status == "unknown" && $0.reason == .nameServerNotAnswering }, "\(scene.story)")
        // The daemon tries again by itself, after 1, 2, 4 … seconds.
        try server.start(Self.name, [TestNetwork.worldIPv4])
        #expect(try isReported(scene, within: 30) { $0.isGood }, "\(scene.story)")
        #expect(scene.targets.first?.last?.json["address"]?.stringValue == TestNetwork.worldIPv4)
    }

    @Test func `a name that does not exist is queried again when the name server changes`() throws {
        let first = try FarNameServer(network, at: TestNetwork.routerIPv4(0), "another.test", [TestNetwork.worldIPv4])
        let second = try FarNameServer(network, at: TestNetwork.routerIPv6(1), Self.name, [TestNetwork.worldIPv6])
        try first.choose()
        let scene = try ReachabilityScene(network, hosts: [Self.name])
        #expect(try isReported(scene) { $0.status == "unreachable" && $0.reason == .nameNotFound }, "\(scene.story)")
        try second.choose()
        #expect(try isReported(scene) { $0.isGood }, "\(scene.story)")
        #expect(scene.targets.first?.last?.json["address"]?.stringValue == TestNetwork.worldIPv6)
    }

    @Test func `an unavailable name server is reported at the next query of the name, and so is its return`() throws {
        let server = try FarNameServer(network, at: TestNetwork.routerIPv4(), Self.name, [TestNetwork.worldIPv4])
        try server.choose()
        let scene = try ReachabilityScene(network, hosts: [Self.name])
        #expect(try isReported(scene) { $0.isGood }, "\(scene.story)")
        let evaluations = try scene.figures().evaluations
        try server.stop()
        // The daemon does not query it by itself while the host is reachable: a change of the path is a reason to
        // query. Where a test sets the clock, all daemons evaluate everything and query again.
        let isSilent = try scene.isSilent(seconds: 0.3)
        #expect(try isSilent || scene.figures().evaluations > evaluations, "\(scene.story)")
        try network.machine.ip("route add 0.0.0.0/0 via \(TestNetwork.routerIPv4(1)) dev up1 metric 50")
        #expect(try isReported(scene) { $0.reason == .nameServerNotAnswering }, "\(scene.story)")
        try server.start(Self.name, [TestNetwork.worldIPv4])
        #expect(try isReported(scene, within: 30) { $0.isGood && $0.interface == "up1" }, "\(scene.story)")
    }
}
