import CLinux
import Glibc
import Platform

/// A real dnsmasq in a network of the test, and the resolver configuration of that network's programs.
public final class NameServer {
    /// It did not come up.
    public struct NotReady: Error {}

    /// Where it listens.
    public static let address = "192.0.2.53"
    /// The address of a server that never replies.
    public static let silent = "192.0.2.54"
    /// An address without a listener.
    public static let nobody = "192.0.2.55"

    /// Where it is.
    public let network: PrivateNetwork
    private let directory: TemporaryDirectory
    private let silence: OwnedDescriptor
    private var process: ChildProcess?

    /// Whether one can be had here.
    public static let isPossible = PrivateNetwork.isPossible && program != nil
    private static let program = ExecutableSearch.find("dnsmasq", alsoIn: ["/usr/sbin"])

    /// Prepares it, in a network of its own by default; it does not reply before `start`.
    public init(in network: PrivateNetwork? = nil) throws {
        let network = try network ?? PrivateNetwork()
        self.network = network
        directory = try TemporaryDirectory()
        for address in [Self.address, Self.silent, Self.nobody] { try network.ip("address add \(address)/32 dev lo") }
        silence = OwnedDescriptor(adopting: try network.inside { try Self.silentSocket() })
        try network.replace("nsswitch.conf", "hosts: files dns\n")
        try network.replace("hosts", "127.0.0.1 localhost\n203.0.113.1 listed.example\n")
        try ask(Self.address)
    }

    /// Configures the programs of the network to use this server.
    public func ask(_ server: String) throws { try network.replace("resolv.conf", "nameserver \(server)\n") }

    /// A program that resolves names there, as `waymark-resolver` does.
    public func resolver() throws -> String {
        let command = network.entrance + [try Products.program("waymark-resolver")]
        let path = try directory.write("resolver", "#!/bin/sh\nexec \(command.joined(separator: " "))\n")
        try retrying("chmod", subject: path) { chmod(path, 0o755) }
        return path
    }

    /// Starts it, and waits until it replies.
    public func start() throws {
        guard let program = Self.program else { throw NotReady() }
        let process = try network.start(
            ChildProcess.Launch(
                program,
                [
                    "--no-daemon", "--conf-file=/dev/null", "--pid-file", "--user=root", "--no-resolv", "--no-hosts",
                    "--bind-interfaces", "--listen-address=\(Self.address)", "--cache-size=0",
                    "--host-record=one.example,198.51.100.1", "--host-record=both.example,198.51.100.2,2001:db8::2",
                    "--host-record=six.example,2001:db8::6", "--address=/many.example/198.51.100.3",
                    "--host-record=xn--bcher-kva.example,198.51.100.4", "--local=/example/",
                ], error: .pipe))
        self.process = process
        var said: [UInt8] = []
        let deadline = PollDeadline(seconds: 60)
        while !String(decoding: said, as: UTF8.self).contains("started") {
            guard try deadline.poll(process.errorPipe, for: POLLIN) else { throw NotReady() }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(process.errorPipe, &buffer, buffer.count)
            guard count > 0 else { throw NotReady() }
            said += buffer[..<count]
        }
    }

    /// Ends it.
    public func stop() throws {
        try process?.terminate()
        process = nil
    }

    /// A name server's port that receives every query and never replies.
    private static func silentSocket() throws -> Int32 {
        let socket = try OwnedDescriptor("make a socket") {
            Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, silent, &address.sin_addr)
        try withUnsafePointer(to: &address) { pointer in
            // A socket address of its kind, and its length.
            _ = try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try retrying("bind") { bind(socket.number, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
        return socket.release()
    }
}
