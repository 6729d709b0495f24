import CLinux
import Glibc
import Platform

/// Makes the listening socket of a server.
public enum ListeningSocket {
    /// A socket on a port of 127.0.0.1 only.
    public static func onLoopback(port: UInt16) throws(SystemError) -> OwnedDescriptor {
        try at(in_addr(s_addr: UInt32(0x7F00_0001).bigEndian), port, "127.0.0.1")
    }

    /// The address that stands for all addresses of this machine: `::`, or `0.0.0.0` where the kernel has no IPv6.
    public static var everyAddress: String { access("/proc/net/if_inet6", F_OK) == 0 ? "::" : "0.0.0.0" }

    /// A socket on a port of one address of the machine, or of all with `0.0.0.0` and `::`; nil if the text is no numeric
    /// address. `::` includes IPv4.
    public static func at(address: String, port: UInt16) throws(SystemError) -> OwnedDescriptor? {
        var ipv4 = in_addr()
        if inet_pton(AF_INET, address, &ipv4) == 1 { return try at(ipv4, port, address) }
        var ipv6 = sockaddr_in6()
        guard inet_pton(AF_INET6, address, &ipv6.sin6_addr) == 1 else { return nil }
        ipv6.sin6_family = sa_family_t(AF_INET6)
        ipv6.sin6_port = port.bigEndian
        let socket = try made(AF_INET6)
        var no: Int32 = 0
        try retrying("accept connections of IPv4") {
            setsockopt(socket.number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size))
        }
        try listen(socket.number, &ipv6, "[\(address)]:\(port)")
        return socket
    }

    private static func at(_ address: in_addr, _ port: UInt16, _ text: String) throws(SystemError) -> OwnedDescriptor {
        var ipv4 = sockaddr_in()
        ipv4.sin_family = sa_family_t(AF_INET)
        ipv4.sin_port = port.bigEndian
        ipv4.sin_addr = address
        let socket = try made(AF_INET)
        try listen(socket.number, &ipv4, "\(text):\(port)")
        return socket
    }

    private static func made(_ family: Int32) throws(SystemError) -> OwnedDescriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = try OwnedDescriptor("make a socket") { Glibc.socket(family, type, 0) }
        // Connections of a server that has just ended may still exist.
        var yes: Int32 = 1
        try retrying("share a port") {
            setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        return socket
    }

    private static func listen<Address>(
        _ socket: Int32, _ address: inout Address, _ subject: String
    ) throws(SystemError) {
        try retrying("listen at", subject: subject) {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        try retrying("listen at", subject: subject) { Glibc.listen(socket, 1_024) }
    }

    /// The socket that the parent process has passed as standard input, the `wait` mode of inetd(8).
    public static func handedOver() throws(SystemError) -> OwnedDescriptor {
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
    public static func address(of socket: Int32, isSecured: Bool = false) throws(SystemError) -> String {
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
