import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import Testing
import Varlink

/// A daemon in a network of its own, whose reachability changes.
struct NetworkServiceScene {
    let network: TestNetwork
    let world = TestNetwork.worldIPv4
    /// Where resolver programs are written.
    let programs: TemporaryDirectory

    init() throws {
        network = try TestNetwork(.ipv4)
        programs = try TemporaryDirectory()
    }

    /// Starts a daemon in the network.
    func start(_ configuration: String = "", maximumConnections: Int = 64) throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.entrance = network.machine.entrance
        let directory = try TemporaryDirectory()
        // Other users' programs connect too.
        try retrying("chmod", subject: directory.path) { chmod(directory.path, 0o755) }
        return try DaemonProcess(
            in: directory,
            configuration:
                "[Socket]\nMaximumConnectionsPerUser=\(maximumConnections)\n[Reachability]\n\(configuration)",
            surroundings: surroundings)
    }

    /// A resolver program with predefined results.
    func resolver(_ name: String, _ script: String) throws -> String {
        let path = try programs.write(name, "#!/bin/sh\nread name; \(script)\n")
        try retrying("chmod", subject: path) { chmod(path, 0o755) }
        return path
    }

    /// The network's part of the daemon's status.
    func status(_ daemon: DaemonProcess) throws -> DaemonStatus.Network {
        try #require(try OperatorClient(daemon).status().network)
    }

    /// The minimum number of resolved names with this outcome: where a test sets the clock, all daemons query again.
    func lookups(_ daemon: DaemonProcess, _ outcome: String) throws -> Int64 {
        try status(daemon).lookups[outcome] ?? 0
    }
}
