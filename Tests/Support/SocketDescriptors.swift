import Glibc

/// This process's descriptors of sockets, among which are those of all tests that run beside.
public enum SocketDescriptors {
    /// The number of IPv4 sockets with this port on either end, getsockname(2) and getpeername(2): a listener's own,
    /// and both ends of its connections.
    public static func count(port: UInt16) -> Int {
        DirectoryListing.names("/proc/self/fd").compactMap { Int32($0) }.count { number in
            self.port(number, getsockname) == port || self.port(number, getpeername) == port
        }
    }

    /// The port of one end, nil for a descriptor that is no IPv4 socket or has no such end.
    private static func port(
        _ number: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            // A socket address of its kind; of a longer one the kernel writes the beginning.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(number, $0, &length) }
        }
        guard status == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }
}
