import Glibc
import Platform
import Testing

@testable import Replay

/// Ports of 127.0.0.1.
struct LoopbackTests {
    /// A socket that listens at a port, which it may share with a socket that does not.
    private func listen(at port: UInt16, sharing: Bool) throws(SystemError) -> OwnedDescriptor {
        let socket = try OwnedDescriptor("make a socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        var isShared: Int32 = sharing ? 1 : 0
        try retrying("share a port") {
            setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        }
        try Loopback.withAddress(port: port) { (address, length) throws(SystemError) in
            _ = try retrying("bind") { bind(socket.number, address, length) }
        }
        try retrying("listen") { Glibc.listen(socket.number, 1) }
        return socket
    }

    @Test func `a reserved port is served by a server that shares it, and by nobody else`() throws {
        var port: UInt16 = 0
        let reservation = try Loopback.reservePort(&port)
        #expect(throws: SystemError("bind", code: EADDRINUSE)) { _ = try listen(at: port, sharing: false) }
        let server = try listen(at: port, sharing: true)
        _ = try LineClient(at: .port(port))
        #expect(server.number != reservation.number)
    }
}
