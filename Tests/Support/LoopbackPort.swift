import CTest
import Glibc
import Platform

/// A TCP port of 127.0.0.1 that the kernel assigns to nobody else while this value exists, whether somebody listens on
/// it or not: a server of the test can be stopped and started again on it, and connections are refused meanwhile.
///
/// Its socket shares the port and never listens, so a server that sets SO_REUSEADDR, socket(7), can listen on it.
/// Without it the kernel could assign the port to another test's server meanwhile, which would be mistaken for this
/// one.
public final class LoopbackPort {
    /// Its number.
    public let number: UInt16
    private let socket: OwnedDescriptor

    /// Reserves a free port.
    public init() throws(SystemError) {
        var port: UInt16 = 0
        socket = try OwnedDescriptor("hold a port") { waymark_test_hold_port(&port) }
        number = port
    }

    /// A connection to the server that listens at a port; nil where there is none.
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
