import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

@Suite(.waits) struct NetworkIdentityTests {
    @Test func `the sockets of one process are of one network`() throws {
        let unix = try OwnedDescriptor("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }
        let routing = try OwnedDescriptor("socket") { socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 0) }
        #expect(try NetworkIdentity(of: unix.number) == NetworkIdentity(of: routing.number))
    }

    @Test(.enabled(if: Capability.administer.isHeld, "only root can make a network"))
    func `a connection reveals the network of the program that made it`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("socket")
        let listener = try UnixSocket.listen(path: path, mode: 0o666)
        func accepted(_ prefix: [String]) throws -> NetworkIdentity {
            let command = prefix + ["/usr/bin/python3", "-c", Self.client, path]
            let client = try ChildProcess(ChildProcess.Launch(command[0], Array(command.dropFirst())))
            #expect(try PollDeadline(seconds: 20).poll(listener.number, for: POLLIN))
            guard let connection = try UnixSocket.accept(listener.number) else {
                throw SystemError("accept", code: EAGAIN)
            }
            defer { withExtendedLifetime(client) {} }
            return try NetworkIdentity(of: connection.number)
        }
        let own = try NetworkIdentity(of: listener.number)
        #expect(try accepted([]) == own)
        #expect(try accepted(["/usr/bin/unshare", "--net"]) != own)
    }

    private static let client =
        "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.recv(1)"

    @Test func `what is no socket has no network`() throws {
        let file = try OwnedDescriptor("open") { open("/dev/null", O_RDONLY | O_CLOEXEC) }
        #expect(throws: SystemError("query a socket's network namespace", code: ENOTSOCK)) {
            try NetworkIdentity(of: file.number)
        }
    }
}
