import Glibc
import Interfaces
import Location
import Platform
import TestSupport
import Testing
import Varlink

/// A daemon of a user without any right, on a machine of a test's own, and clients that watch the path and hosts.
final class ReachabilityScene {
    let network: TestNetwork
    let daemon: DaemonProcess
    /// Of the path first, then of the hosts.
    private(set) var streams: [NetworkStream] = []

    /// Starts the daemon and watches the path and these hosts; the world's, where none are named.
    init(_ network: TestNetwork, hosts: [String]? = nil, settings: String = "Settle=50ms\nMaximumSettle=50ms") throws {
        self.network = network
        daemon = try Self.daemon(network, settings: settings)
        for host in [nil] + (hosts ?? network.world) {
            streams.append(try NetworkStream(host, of: daemon, in: network.machine))
        }
    }

    /// A daemon of such a user, in such a network.
    static func daemon(_ network: TestNetwork, settings: String = "") throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        surroundings.program = try network.machine.program("waymarkd")
        surroundings.user = OtherUser.nobody
        let directory = try TemporaryDirectory()
        // Other users' programs connect too.
        try retrying("chmod", subject: directory.path) { chmod(directory.path, 0o755) }
        return try DaemonProcess(
            in: directory, configuration: "[Reachability]\n\(settings)\n", logLevel: "info", surroundings: surroundings)
    }

    /// The stream of the path.
    var path: NetworkStream { streams[0] }
    /// The streams of the hosts.
    var targets: ArraySlice<NetworkStream> { streams.dropFirst() }

    /// Receives the pending messages of all streams.
    func read() throws { for stream in streams { try stream.read() } }

    /// Whether a condition on the streams becomes true in time.
    func eventually(within seconds: Double = Patience.daemon, _ condition: () throws -> Bool) throws -> Bool {
        try TestSupport.eventually(within: seconds) {
            try read()
            return try condition()
        }
    }

    /// Whether nothing is reported for this time.
    func isSilent(seconds: Double) throws -> Bool {
        try read()
        let before = streams.map(\.reported.count)
        return try !eventually(within: seconds) { streams.map(\.reported.count) != before }
    }

    /// Whether the path and all hosts are as at the beginning of a test: reached through the first uplink.
    func begins() throws -> Bool {
        try eventually { streams.allSatisfy { $0.last?.isGood == true && $0.last?.interface == "up0" } }
    }

    /// Starts the daemon again, and makes the clients call again.
    func restart() throws {
        try daemon.restart()
        for stream in streams { try stream.reconnect(to: daemon, in: network.machine) }
    }

    /// Makes the kernel announce more while the daemon is stopped than its socket can buffer.
    func overwhelm(_ body: () throws -> Void) throws {
        let before = try figures().overruns
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        try network.machine.announceMuch()
        try body()
        daemon.signal(SIGCONT)
        try #require(try TestSupport.eventually(within: 60) { try figures().overruns > before }, "nothing was lost")
    }

    /// The daemon's counters of the network.
    func figures() throws -> DaemonStatus.Network {
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        let reply = try client.call(ManageInterface.Method.status.rawValue, timeout: .seconds(60))
        return try #require(reply["status"].flatMap(DaemonStatus.init)?.network)
    }

    /// The reports to every client, for a failure message.
    var story: String { streams.map(\.description).joined(separator: "\n") }
}
