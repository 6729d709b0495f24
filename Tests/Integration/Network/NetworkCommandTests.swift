import Glibc
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// `waymark path` and `waymark target` with a real daemon, on a kernel that really loses its network.
@Suite(
    .waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"), .timeLimit(.minutes(15))
)
struct NetworkCommandTests {
    private let network: TestNetwork
    private let daemon: DaemonProcess

    init() throws {
        network = try TestNetwork(.ipv4)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        daemon = try DaemonProcess(surroundings: surroundings)
    }

    @Test func `waiting for a network ends when it is available again, over a restart of the daemon`() throws {
        #expect(try daemon.waymark("path", "--wait").status == .exited(0), "there is one")
        try network.far.ip("link set far0 down")
        #expect(try eventually { try daemon.waymark("path").status == .exited(6) })
        let path = try daemon.waymark("path")
        #expect(
            path.output.hasPrefix("The rest of the world cannot be reached yet: the interface up0 has no carrier.\n"))
        #expect(try daemon.waymark("path", "--wait", "--timeout", "0.3").status == .exited(6))

        let wait = try ChildProcess(
            ChildProcess.Launch(
                Products.program("waymark"), ["target", TestNetwork.worldIPv4, "--wait", "--timeout", "120"],
                environment: daemon.environment(), output: .pipe, error: .pipe))
        #expect(try eventually { try daemon.waymark("status").output.contains("1 stream, 1 host watched") })
        try daemon.stop()
        // Its message is the sign that it has noticed the loss.
        #expect(try PollDeadline(seconds: 60).poll(wait.errorPipe, for: POLLIN))
        try daemon.restart()
        #expect(try eventually { try daemon.waymark("status").output.contains("1 stream, 1 host watched") })
        #expect(try wait.exitStatus() == nil)
        try network.restore()
        #expect(try wait.wait(seconds: 60) == .exited(0))
        #expect(try daemon.waymark("path").status == .exited(0))
        let log = try daemon.waymark("log", "--kind", "networkChanged").output
        #expect(
            log.contains("the route to the rest of the world is not ready yet: the route's interface has no carrier"))
        #expect(log.contains("there is a route to the rest of the world: up0"))
        try daemon.stop()
    }

    @Test func `a host behind a silent router is reported with the router`() throws {
        let host = TestNetwork.worldIPv4
        let router = TestNetwork.routerIPv4()
        #expect(try daemon.waymark("target", host).output.contains("through up0 and the router \(router)."))
        try network.far.ip("address delete \(router)/24 dev far0")
        try network.machine.ip("neigh flush dev up0")
        try network.knock(host)
        // One reply shows all of it: a kernel that has many neighbours, in all namespaces together, forgets those that
        // failed.
        var output = ""
        let isLost = try eventually {
            let target = try daemon.waymark("target", "\(host):443")
            output = target.output
            return target.status == .exited(6)
        }
        #expect(isLost, "\(output)")
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.first == "\(host):443 cannot be reached: the router \(router) does not respond.")
        #expect(lines.contains("source: good, \(TestNetwork.ownIPv4())"))
        #expect(lines.contains("gateway: bad, \(router) failed"))
        #expect(lines.last?.hasPrefix("→ Check that the router is on") == true)
        try daemon.stop()
    }
}
