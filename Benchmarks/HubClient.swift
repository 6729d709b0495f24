import Glibc
import Platform
import TestSupport

/// A connection to a hub for one request after another, HTTP/1.1 without encryption. For one thread at a time.
final class HubClient: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let socket: OwnedDescriptor
    let token: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)
    private(set) var receivedBytes = 0

    init(port: UInt16, token: String) throws {
        guard let connection = try LoopbackPort.connection(to: port) else {
            throw Failure(description: "nobody listens at port \(port)")
        }
        socket = connection
        self.token = token
        var yes: Int32 = 1
        setsockopt(socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends a request; its answer is read by `answer`.
    func send(
        _ method: String, _ path: String, key: String = "", body: [UInt8] = [], accepting type: String = ""
    ) throws {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n"
        if !token.isEmpty { head += "Authorization: Bearer \(token)\r\n" }
        if !type.isEmpty { head += "Accept: \(type)\r\n" }
        if !key.isEmpty { head += "Idempotency-Key: \(key)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + body
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "the connection has ended") }
            sent += count
        }
    }

    /// Reads an answer with this status.
    func answer(_ status: Int) throws -> [UInt8] {
        var received: [UInt8] = []
        var end: Int?
        var length = 0
        while true {
            let count = recv(socket.number, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure(description: "the connection has ended") }
            received += buffer[..<count]
            receivedBytes += count
            if end == nil, let start = Self.endOfHead(received) {
                guard received.dropFirst(9).starts(with: "\(status)".utf8) else {
                    throw Failure(description: String(decoding: received.prefix(400), as: UTF8.self))
                }
                end = start
                length = Self.length(of: received[..<start])
            }
            if let end, received.count >= end + length { return Array(received[end...]) }
        }
    }

    /// Reads what has arrived of a stream until it has these bytes.
    func received(until mark: String) throws -> [UInt8] {
        var received: [UInt8] = []
        let mark = Array(mark.utf8)
        while received.firstRange(of: mark) == nil {
            let count = recv(socket.number, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure(description: "the connection has ended") }
            received += buffer[..<count]
        }
        return received
    }

    // The clients take processor time from the hub that is measured, so that this reads bytes and no text.

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        var ends = 0
        for offset in bytes.indices {
            switch bytes[offset] {
            case UInt8(ascii: "\n"): ends += 1
            case UInt8(ascii: "\r"): break
            default: ends = 0
            }
            if ends == 2 { return offset + 1 }
        }
        return nil
    }

    /// The value of `Content-Length`; 0 without one.
    private static func length(of head: ArraySlice<UInt8>) -> Int {
        for line in head.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                line[..<colon].elementsEqual("content-length".utf8, by: { $0 | 0x20 == $1 })
            else { continue }
            return line[colon...].reduce(0) { $1 > 47 && $1 < 58 ? $0 * 10 + Int($1) - 48 : $0 }
        }
        return 0
    }

    func exchange(
        _ method: String, _ path: String, key: String = "", body: String = "", status: Int = 200
    ) throws -> [UInt8] {
        try send(method, path, key: key, body: Array(body.utf8))
        return try answer(status)
    }
}
