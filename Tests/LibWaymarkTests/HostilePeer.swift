import Glibc
import Platform
import TestSupport

/// A program in the daemon's place that sends whatever a test wants: it handles one connection on a thread of its own.
final class HostilePeer: Sendable {
    let path: String
    private let directory: TemporaryDirectory

    /// Listens, and runs a function with each connection, one after another.
    init(connections: Int = 1, _ body: @escaping @Sendable (Int32, _ index: Int) -> Void) throws {
        directory = try TemporaryDirectory()
        path = directory.file("hostile.sock")
        let listener = try UnixSocket.listen(path: path, mode: 0o600).release()
        try DetachedThread.start(name: "hostile") {
            defer { _ = close(listener) }
            for index in 0..<connections {
                var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, 60_000) > 0 else { return }
                let connection = Glibc.accept(listener, nil, nil)
                guard connection >= 0 else { return }
                body(connection, index)
                _ = close(connection)
            }
        }
    }

    /// Sends bytes; false once the other side has closed the connection.
    @discardableResult
    static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Sends a message.
    @discardableResult
    static func send(_ message: String, to connection: Int32) -> Bool {
        send(Array(message.utf8) + [0], to: connection)
    }

    /// Receives a message without its NUL; nil at the end of the connection.
    static func receive(_ connection: Int32) -> String? {
        var message: [UInt8] = []
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) == 1 {
            if byte == 0 { return String(decoding: message, as: UTF8.self) }
            message.append(byte)
        }
        return nil
    }
}
