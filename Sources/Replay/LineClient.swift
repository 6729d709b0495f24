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
        socket = try Loopback.connect(to: port)
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

extension String {
    /// Whether it contains a text, compared byte by byte.
    func contains(bytesOf text: String) -> Bool {
        let (line, wanted) = (Array(utf8), Array(text.utf8))
        guard !wanted.isEmpty, line.count >= wanted.count else { return wanted.isEmpty }
        return (0...(line.count - wanted.count)).contains { line[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
