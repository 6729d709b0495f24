import CLinux
import Glibc

/// Which of the networks within the machine it is, network_namespaces(7).
public struct NetworkIdentity: Hashable, Sendable {
    /// The kernel's number for it, never given again until the machine is started anew.
    private let cookie: UInt64

    /// The one that a socket belongs to: that of the process which made it, and on a Unix socket that was accepted, that
    /// of the client. SO_NETNS_COOKIE of Linux 5.14; ENOPROTOOPT before.
    public init(of socket: Int32) throws(SystemError) {
        var cookie: UInt64 = 0
        var length = socklen_t(MemoryLayout<UInt64>.size)
        try retrying("ask for a socket's network namespace") {
            getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &length)
        }
        self.cookie = cookie
    }
}
