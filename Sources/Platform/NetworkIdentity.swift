import CLinux
import Glibc

/// Identifies a network namespace, network_namespaces(7).
public struct NetworkIdentity: Hashable, Sendable {
    /// The kernel's number of the namespace, unique until the machine is restarted.
    private let cookie: UInt64

    /// The namespace of a socket: that of the process that made it. An accepted Unix socket has that of the client.
    /// SO_NETNS_COOKIE of Linux 5.14; ENOPROTOOPT before.
    public init(of socket: Int32) throws(SystemError) {
        var cookie: UInt64 = 0
        var length = socklen_t(MemoryLayout<UInt64>.size)
        try retrying("query a socket's network namespace") {
            getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &length)
        }
        self.cookie = cookie
    }
}
