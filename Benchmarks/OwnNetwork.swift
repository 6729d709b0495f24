import Glibc
import Platform
import TestSupport

/// A network of the benchmark: a namespace for the whole process and its children, which is removed with
/// the last of them, network_namespaces(7).
///
/// In it are two interfaces with a cable between, `w0` with the address 192.0.2.1 and `w1`, and a default route.
enum OwnNetwork {
    /// Why there can be none.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    static let interface = "w0"
    static let gateway: [UInt8] = [192, 0, 2, 254]
    /// Set in the program that was started again within the namespace.
    private static let mark = "WAYMARK_BENCHMARK_NETWORK"

    /// Executes this program again in a new namespace, in this process; returns when it runs there.
    static func enter() throws {
        guard getenv(mark) == nil else { return try furnish() }
        guard geteuid() == 0 else {
            throw Unavailable(description: "a private network needs root: run the benchmark with sudo")
        }
        setenv(mark, "1", 1)
        let program = try Products.program("waymark-benchmark")
        let command = ["/usr/bin/unshare", "--net", program] + CommandLine.arguments.dropFirst()
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        execv(command[0], arguments)
        throw SystemError("start", subject: command[0])
    }

    private static func furnish() throws {
        try batch(
            """
            link set lo up
            link add \(interface) type veth peer name w1
            link set \(interface) up
            link set w1 up
            address add 192.0.2.1/24 dev \(interface)
            route add default via 192.0.2.254 dev \(interface)
            """)
        // The interfaces say in the first seconds that they have a carrier and IPv6 addresses.
        _ = poll(nil, 0, 3_000)
    }

    /// Lets ip(8) do these lines.
    static func batch(_ lines: String) throws {
        guard let program = ExecutableSearch.find("ip", alsoIn: ["/usr/sbin", "/sbin"]) else {
            throw Unavailable(description: "ip of iproute2 is not installed")
        }
        let run = try CompletedProcess.run(program, ["-batch", "-"], input: lines + "\n", seconds: 120)
        guard run.status.isSuccess else { throw Unavailable(description: "ip \(run.status): \(run.error.prefix(200))") }
    }
}
