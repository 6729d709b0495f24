import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Hosts by name.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct ResolvedNameTests {
    private let scene: NetworkServiceScene

    init() throws { scene = try NetworkServiceScene() }

    @Test func `after a reload that names another resolver that resolver is used`() throws {
        let other = "203.0.113.9"
        let daemon = try scene.start("Resolver=\(try scene.resolver("one", "echo \(scene.world); echo found"))")
        let reader = try scene.network.machine.inside { try NetworkReader(daemon.socketPath) }
        try reader.watch("tracker.example")
        #expect(try reader.target(.reachable).address == IPAddress(scene.world))
        try daemon.directory.write(
            "waymark.conf", "[Reachability]\nResolver=\(try scene.resolver("other", "echo \(other); echo found"))\n")
        let manage = try Client(path: daemon.socketPath)
        let reply = try manage.call(ManageInterface.Method.reload.rawValue, timeout: .seconds(60))
        #expect(reply["changed"]?.arrayValue?.contains("Reachability.Resolver") == true)
        #expect(try reader.nextTarget().address == IPAddress(other))
    }

    @Test func `names are not resolved for programs of another network`() throws {
        let daemon = try scene.start()
        // The test itself is one.
        let reader = try NetworkReader(daemon.socketPath)
        #expect(try Refusal { _ = try reader.target("example.org") }?.error == .reachabilityOtherNetwork)
        try reader.watch("example.org")
        #expect(try Refusal { _ = try reader.nextTarget() }?.error == .reachabilityOtherNetwork)
        #expect(try scene.status(daemon).targets == 0)
    }

    @Test func `a name is resolved for programs of the watched network`() throws {
        try scene.network.machine.replace("hosts", "\(scene.world) tracker.example other.example\n")
        let daemon = try scene.start()
        func reader() throws -> NetworkReader {
            try scene.network.machine.inside { try NetworkReader(daemon.socketPath) }
        }
        let answer = try #require(
            try reader().target("tracker.example", port: 443, where: { $0.status == .reachable }))
        #expect(answer.target.status == .reachable && answer.target.address == IPAddress(scene.world), "\(answer)")
        #expect(answer.target.host == "tracker.example" && answer.target.port == 443)
        // Other names get no reply here.
        let unknown = try #require(
            try reader().target("nobody.example", where: { $0.reason == .nameServerNotAnswering }))
        #expect(unknown.target.status == .unknown && unknown.target.reason == .nameServerNotAnswering, "\(unknown)")
        let watching = try reader()
        try watching.watch("other.example")
        #expect(try watching.target(.reachable).address == IPAddress(scene.world))
        try scene.network.machine.ip("route del default")
        #expect(try watching.nextTarget().reason == .noRoute)
        #expect(try scene.lookups(daemon, "found") >= 2 && scene.lookups(daemon, "notAnswering") >= 1)
    }

    @Test func `a name is resolved again when the hosts file changes`() throws {
        try scene.network.machine.replace("hosts", "127.0.0.1 localhost\n")
        let daemon = try scene.start()
        let reader = try scene.network.machine.inside { try NetworkReader(daemon.socketPath) }
        try reader.watch("tracker.example")
        let first = try reader.nextTarget()
        #expect(first.status == .unknown)
        try scene.network.machine.replace("hosts", "127.0.0.1 localhost\n\(scene.world) tracker.example\n")
        #expect(try reader.target(.reachable).address == IPAddress(scene.world))
    }

    @Test func `a query for a name that others watch returns its current state`() throws {
        let answer = try scene.programs.write("answer", "notFound\n")
        let daemon = try scene.start("Resolver=\(try scene.resolver("told", "cat \(answer)"))")
        func reader() throws -> NetworkReader {
            try scene.network.machine.inside { try NetworkReader(daemon.socketPath) }
        }
        let watching = try reader()
        try watching.watch("tracker.example")
        #expect(try watching.target(.unreachable).reason == .nameNotFound)
        let before = try scene.lookups(daemon, "notFound")
        #expect(try reader().target("tracker.example")?.target.reason == .nameNotFound)
        #expect(try scene.lookups(daemon, "notFound") > before)
        try scene.programs.write("answer", "\(scene.world)\nfound\n")
        #expect(try reader().target("tracker.example")?.target.address == IPAddress(scene.world))
        #expect(try watching.target(.reachable).address == IPAddress(scene.world))
    }

    @Test func `a route to a name server is part of the path`() throws {
        try scene.network.machine.ip("route add unreachable 203.0.113.1/32")
        try scene.network.machine.replace("resolv.conf", "nameserver 203.0.113.1\n")
        let daemon = try scene.start()
        let reader = try NetworkReader(daemon.socketPath)
        try reader.watchPath()
        #expect(try !reader.nextPath().supportsDNS)
        try scene.network.machine.replace("resolv.conf", "nameserver \(scene.world)\n")
        #expect(try reader.nextPath().supportsDNS)
    }
}
