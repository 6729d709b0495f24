import CLinux
import Glibc
import Location
import Platform

/// Makes the listening socket of the server.
enum ListeningSocket {
    /// A socket on a port of 127.0.0.1 only.
    static func onLoopback(port: UInt16) throws(SystemError) -> OwnedDescriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = try OwnedDescriptor("make a socket") { Glibc.socket(AF_INET, type, 0) }
        // Connections of a server that has just ended may still exist.
        var yes: Int32 = 1
        try retrying("share a port") {
            setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let subject = "127.0.0.1:\(port)"
        try retrying("listen at", subject: subject) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        try retrying("listen at", subject: subject) { listen(socket.number, 128) }
        return socket
    }

    /// The socket that the parent process has passed as standard input, the `wait` mode of inetd(8).
    static func handedOver() throws(SystemError) -> OwnedDescriptor {
        let socket = try OwnedDescriptor("take over standard input") { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) }
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try retrying("check whether standard input listens") {
            getsockopt(socket.number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size)
        }
        guard isListening != 0 else { throw SystemError("listen on standard input", code: EINVAL) }
        return socket
    }

    /// The address as the beginning of a URL: `http://127.0.0.1:8765`.
    static func address(of socket: Int32, isSecured: Bool = false) throws(SystemError) -> String {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 16)
        try retrying("examine the socket") {
            withUnsafeMutablePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            }
        }
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo(
                    $0, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                    NI_NUMERICHOST | NI_NUMERICSERV)
            }
        }
        guard status == 0 else { throw SystemError("read the socket's address", code: EAFNOSUPPORT) }
        func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        let name = text(host)
        return "\(isSecured ? "https" : "http")://\(name.contains(":") ? "[\(name)]" : name):\(text(port))"
    }
}
