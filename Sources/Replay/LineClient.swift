import CLinux
import Glibc
import Platform

/// A connection to a loopback port or a Unix socket that is read line by line with a deadline, as a client of a private
/// gpsd.
public final class LineClient {
    private let socket: OwnedDescriptor
    private var buffer: [UInt8] = []
    private static let longestLine = 65_536

    /// Connects to 127.0.0.1. A refused connection is ECONNREFUSED.
    public init(port: UInt16) throws(SystemError) {
        socket = try OwnedDescriptor("make a socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        try Loopback.withAddress(port: port) { (address, length) throws(SystemError) in
            _ = try retrying("connect to", subject: "127.0.0.1:\(port)") { connect(socket.number, address, length) }
        }
    }

    /// Connects to a private gpsd. A refused connection is ECONNREFUSED.
    public convenience init(at place: GPSDPlace) throws(SystemError) {
        switch place {
        case .port(let port): try self.init(port: port)
        case .socket(let path): try self.init(adopting: UnixSocket.connect(path: path))
        case .handedOver: throw SystemError("connect to gpsd", code: EADDRNOTAVAIL)
        }
    }

    private init(adopting socket: consuming OwnedDescriptor) {
        self.socket = socket
    }

    /// Sends a line; the newline is added.
    public func send(_ line: String) throws(SystemError) {
        let bytes = Array("\(line)\n".utf8)
        var sent = 0
        while sent < bytes.count {
            sent += try retrying("send") {
                bytes[sent...].withUnsafeBytes {
                    Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// The next line without its end; nil after the deadline, or if the peer has closed the connection.
    public func line(before deadline: PollDeadline) throws(SystemError) -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[..<end]
                buffer.removeSubrange(...end)
                return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
            guard buffer.count < Self.longestLine else { throw SystemError("read a line", code: EMSGSIZE) }
            guard try deadline.poll(socket.number, for: POLLIN) else { return nil }
            var chunk = [UInt8](repeating: 0, count: 8_192)
            let count = try retrying("receive") { recv(socket.number, &chunk, chunk.count, 0) }
            if count == 0 { return nil }
            buffer += chunk[..<count]
        }
    }

    /// The next line that contains a text; nil after the deadline, or if the peer has closed the connection.
    public func line(containing text: String, before deadline: PollDeadline) throws(SystemError) -> String? {
        while let line = try line(before: deadline) {
            if line.contains(bytesOf: text) { return line }
        }
        return nil
    }
}

/// Addresses of 127.0.0.1.
enum Loopback {
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
    static func reservePort(_ port: inout UInt16) throws(SystemError) -> OwnedDescriptor {
        let socket = try OwnedDescriptor("make a socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
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
            _ = try retrying("ask for the port") {
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.number, $0, &length) }
            }
        }
        port = UInt16(bigEndian: chosen.sin_port)
        return socket
    }
}

extension String {
    /// Whether it contains a text, compared byte by byte.
    func contains(bytesOf text: String) -> Bool {
        let (line, wanted) = (Array(utf8), Array(text.utf8))
        guard !wanted.isEmpty, line.count >= wanted.count else { return wanted.isEmpty }
        return (0...(line.count - wanted.count)).contains { line[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
