import Glibc
import Platform
import TestSupport

/// A name server at the router of a test's network, dnsmasq(8), that knows names below `test`.
final class FarNameServer {
    private let network: TestNetwork
    private let router: String
    private var process: ChildProcess?

    /// The program; nil where it is not installed.
    static let program = ExecutableSearch.find("dnsmasq", alsoIn: ["/usr/sbin", "/usr/local/sbin"])

    /// Starts one that resolves a name to these addresses, and waits until the machine can query it.
    init(_ network: TestNetwork, at router: String, _ name: String, _ addresses: [String]) throws {
        self.network = network
        self.router = router
        try start(name, addresses)
    }

    /// Starts it, by which a name has these addresses.
    func start(_ name: String, _ addresses: [String]) throws {
        let record = ([name] + addresses).joined(separator: ",")
        process = try network.far.start(
            ChildProcess.Launch(
                Self.program ?? "",
                [
                    "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root",
                    "--pid-file=", "--bind-interfaces", "--listen-address=\(router)", "--local=/test/",
                    "--host-record=\(record)",
                ], error: .inherited))
        // 0035 is its port, in the list of sockets.
        let isReady = try eventually(within: 60) {
            try network.far.shell("cat /proc/net/udp /proc/net/udp6").contains(":0035 ")
        }
        guard isReady else { throw SystemError("wait for dnsmasq", code: ETIMEDOUT, subject: router) }
    }

    /// Ends it.
    func stop() throws { try process?.terminate(graceSeconds: 1) }

    /// Makes the machine query it, and no other name server.
    func choose() throws { try network.machine.replace("resolv.conf", "nameserver \(router)\noptions timeout:1\n") }
}
