import CTest
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
}
