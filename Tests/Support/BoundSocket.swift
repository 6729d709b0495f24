import CLinux
import Glibc
import Platform

/// A socket of AF_UNIX, unix(7), of a type at which no daemon of the project listens itself.
public enum BoundSocket {
    /// A socket of this type with this path, which is not to be there yet. The socket does not block.
    public static func make(_ type: __socket_type, at path: String) throws(SystemError) -> OwnedDescriptor {
        let descriptor = try OwnedDescriptor("socket") {
            socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let number = descriptor.number
        try retrying("bind", subject: path) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        return descriptor
    }
}
