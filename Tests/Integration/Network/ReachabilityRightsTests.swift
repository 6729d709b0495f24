import CTest
import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// `io.waymark.Reachability` of a daemon with restricted rights, in a network of its own.
@Suite(.waits, .enabled(if: PrivateNetwork.isPossible, "creating a network namespace needs root"))
struct ReachabilityRightsTests {
    private let network: TestNetwork
    private let world = TestNetwork.worldIPv4

    init() throws { network = try TestNetwork(.ipv4) }

    @Test(
        .enabled(
            if: OtherUser.isPossible && Capability.changeOwners.isHeld && Capability.chooseCapabilities.isHeld,
            "only root can start a daemon without rights"))
    func `a daemon without any rights hears of a loss`() throws {
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        surroundings.user = OtherUser.nobody
        surroundings.program = try network.machine.program("waymarkd")
        let daemon = try DaemonProcess(surroundings: surroundings)
        let reader = try NetworkReader(daemon.socketPath)
        try reader.watchPath()
        #expect(try reader.nextPath().status == .satisfied)
        try network.machine.ip("link set up0 down")
        #expect(try reader.nextPath().status != .satisfied)
        #expect(try OperatorClient(daemon).status().network?.overruns == 0)
    }

    @Test func `a daemon that may not query the kernel reports that, and runs`() throws {
        let directory = try TemporaryDirectory()
        let daemon = try launch(
            "/usr/bin/python3", [try Products.file("Tests/Integration/Foreign/refuse.py")], in: directory)
        defer { withExtendedLifetime(daemon) {} }
        let reader = try NetworkReader(socket(in: directory))
        #expect(try Refusal { _ = try reader.path() }?.error == .reachabilityUnavailable)
        #expect(try Refusal { _ = try reader.target(world) }?.error == .reachabilityUnavailable)
        #expect(try Refusal { try reader.report(.failed, world) }?.error == .reachabilityUnavailable)
        try reader.watchPath()
        #expect(try Refusal { _ = try reader.nextPath() }?.error == .reachabilityUnavailable)
        let status = try #require(try OperatorClient(socket(in: directory)).status().network)
        #expect(status.status == nil && status.problem?.contains("netlink") == true, "\(status)")
    }

    @Test func `sockets handed over show the network that they are of`() throws {
        let directory = try TemporaryDirectory()
        // It has no network of its own: PrivateNetwork= of systemd.exec(5).
        let activate = [try Products.file("Tests/Integration/Foreign/activate.py"), "route:network:", "route:network:"]
        let daemon = try launch(
            "/usr/bin/python3", activate + ["--", "/usr/bin/unshare", "--net"], in: directory)
        defer { withExtendedLifetime(daemon) {} }
        let reader = try NetworkReader(socket(in: directory))
        try reader.watchPath()
        let path = try reader.nextPath()
        #expect(path.status == .satisfied && path.interfaces.map(\.name) == ["up0"], "\(path)")
        try network.far.ip("link set far0 down")
        #expect(try reader.nextPath().reason == .noCarrier)
        try network.restore()
        #expect(try reader.path(.satisfied).interfaces.map(\.name) == ["up0"])

        // Names are resolved only for programs in the watched network, which is not the daemon's own.
        let outside = try NetworkReader(socket(in: directory))
        #expect(try Refusal { _ = try outside.target("localhost") }?.error == .reachabilityOtherNetwork)
        let inside = try network.machine.inside { try NetworkReader(socket(in: directory)) }
        #expect(try inside.target("localhost")?.target.host == "localhost")
        let own = try OwnedDescriptor("open") { open("/proc/\(daemon.processID)/ns/net", O_RDONLY | O_CLOEXEC) }
        let beside = try network.machine.inside {
            try retrying("setns") { waymark_test_enter_network(own.number) }
            return try NetworkReader(socket(in: directory))
        }
        #expect(try Refusal { _ = try beside.target("localhost") }?.error == .reachabilityOtherNetwork)
    }

    /// Starts a daemon in the network by another program.
    private func launch(
        _ path: String, _ arguments: [String], in directory: TemporaryDirectory
    ) throws -> ChildProcess {
        let daemon = [
            try Products.program("waymarkd"), "--config", try directory.write("waymark.conf", ""),
            "--state-directory", directory.file("state"), "--socket", directory.file("waymark.sock"), "--gpsd", "none",
            "--log-level", "error",
        ]
        return try network.machine.start(
            ChildProcess.Launch(path, arguments + daemon, output: .inherited, error: .inherited))
    }

    /// The path of that daemon's socket, once it accepts calls.
    private func socket(in directory: TemporaryDirectory) -> String {
        let path = directory.file("waymark.sock")
        let answers = eventually {
            guard access(path, F_OK) == 0 else { return false }
            do throws(SystemError) { _ = try UnixSocket.connect(path: path) } catch { return false }
            return true
        }
        #expect(answers)
        return path
    }
}
