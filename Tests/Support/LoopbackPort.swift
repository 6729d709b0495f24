import Glibc
import Platform
import Replay

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
        socket = try Loopback.reservePort(&port)
        number = port
    }

    /// A connection to the server that listens at a port; nil where there is none.
    public static func connection(to port: UInt16) throws(SystemError) -> OwnedDescriptor? {
        do { return try Loopback.connect(to: port) } catch  where error.code == ECONNREFUSED { return nil }
    }
}
