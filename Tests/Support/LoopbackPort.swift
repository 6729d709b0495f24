import CTest
import Glibc
import Platform

/// A TCP port of 127.0.0.1 that the kernel gives to nobody else while this value lives, whether somebody listens at it or
/// not: a server of the test's can be ended and come back at it, and until then a connection is refused.
///
/// Its socket shares the port and never listens, so a server that shares its address, SO_REUSEADDR of socket(7), may.
/// Without it another test's server would be given the port between two lives of this one, and be taken for it.
public final class LoopbackPort {
    /// Its number.
    public let number: UInt16
    private let socket: OwnedDescriptor

    /// Holds a port that nobody has.
    public init() throws(SystemError) {
        var port: UInt16 = 0
        socket = try OwnedDescriptor("hold a port") { waymark_test_hold_port(&port) }
        number = port
    }

    /// A connection to whoever listens at a port; nil where nobody does.
    public static func connection(to port: UInt16) throws(SystemError) -> OwnedDescriptor? {
        let connection = try OwnedDescriptor("make a socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { return nil }
        return connection
    }
}
