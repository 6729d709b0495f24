import Glibc
import Platform

/// TCP ports of 127.0.0.1.
public enum Loopback {
    /// Calls a function with the socket address of a port.
    static func withAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafePointer(to: &address) { pointer throws(SystemError) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { (bound) throws(SystemError) in
                try body(bound, length)
            }
        }
    }

    /// Reserves a free port that the kernel selects: it assigns the port to nobody else while the returned socket exists.
    ///
    /// The socket never listens and shares the port with a server that sets SO_REUSEADDR, socket(7), as gpsd does.
    public static func reservePort(_ port: inout UInt16) throws(SystemError) -> OwnedDescriptor {
        let socket = try makeSocket()
        var isShared: Int32 = 1
        try retrying("share a port") {
            setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        }
        try withAddress(port: 0) { (address, length) throws(SystemError) in
            _ = try retrying("bind", subject: "127.0.0.1") { bind(socket.number, address, length) }
        }
        var chosen = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &chosen) { pointer throws(SystemError) in
            _ = try retrying("query the port") {
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.number, $0, &length) }
            }
        }
        port = UInt16(bigEndian: chosen.sin_port)
        return socket
    }

    /// A connection to the server that listens on a port. A refused connection is ECONNREFUSED.
    public static func connect(to port: UInt16) throws(SystemError) -> OwnedDescriptor {
        let socket = try makeSocket()
        try withAddress(port: port) { (address, length) throws(SystemError) in
            _ = try retrying("connect to", subject: "127.0.0.1:\(port)") {
                Glibc.connect(socket.number, address, length)
            }
        }
        return socket
    }

    private static func makeSocket() throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor("make a socket") {
            socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
    }
}
