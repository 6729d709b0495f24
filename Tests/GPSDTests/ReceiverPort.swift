import Glibc
import Platform

/// A UDP port of 127.0.0.1 that the kernel assigns to nobody else while this value exists, and that gpsd can bind as well.
///
/// Its socket is connected to a port that sends nothing. So the kernel delivers to gpsd what arrives from other ports, udp(7).
final class ReceiverPort {
    let number: UInt16
    private let socket: OwnedDescriptor

    init() throws(SystemError) {
        socket = try OwnedDescriptor("socket") {
            Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        number = try freePort(socket.number)
        // After the port was chosen: before, the kernel could choose one that another such socket has.
        var isShared: Int32 = 1
        try retrying("share a port") {
            setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        }
        // UDP port 9 is that of the discard service.
        var discard = sockaddr_in()
        discard.sin_family = sa_family_t(AF_INET)
        discard.sin_port = UInt16(9).bigEndian
        discard.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try withUnsafePointer(to: discard) { pointer throws(SystemError) in
            _ = try retrying("connect") {
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }
}
