import CTest
import Platform

/// Ports of loopback.
public enum LoopbackPort {
    /// One of TCP's that nobody has now; nobody keeps it from others.
    public static func choose() throws(SystemError) -> UInt16 {
        var port: UInt16 = 0
        try retrying("choose a port") { waymark_test_free_port(&port) }
        return port
    }
}
