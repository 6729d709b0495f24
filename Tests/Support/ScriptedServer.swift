import CLinux
import Glibc
import Platform
import Synchronization

/// A server on loopback that replies as a test defines, on its own threads, without encryption.
public final class ScriptedServer: Sendable {
    /// One step of the server's reaction to a request.
    public enum Step: Sendable {
        /// Sends these bytes.
        case send([UInt8])
        /// Waits until the test releases it, or the client disconnects.
        case wait
        /// Closes the connection.
        case close
        /// Resets the connection, so that the client receives RST.
        case reset

        /// Sends this text.
        public static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
        /// A response with this body.
        public static func answer(_ status: Int = 200, _ body: String = "", _ headers: [String] = []) -> Step {
            let head = ["HTTP/1.1 \(status) Said so", "Content-Length: \(body.utf8.count)"] + headers
            return .send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }
    }

    /// A received request.
    public struct Request: Sendable {
        /// Its lines before the body.
        public var head: String
        /// Its body.
        public var body: [UInt8]
        /// The number of the server's connection that carried the request, from 1.
        public var connection: Int
    }

    private struct Record {
        var connections = 0
        var open: [Int32] = []
        var closed = 0
        var requests: [Request] = []
        var isReleased = false
    }

    private let listener: OwnedDescriptor
    private let record = Mutex(Record())
    private let answer: @Sendable (Request) -> [Step]
    /// Its port.
    public let port: UInt16

    /// Listens; `answer` returns the steps for each request.
    public init(_ answer: @escaping @Sendable (Request) -> [Step]) throws {
        self.answer = answer
        listener = try OwnedDescriptor("make a socket") {
            socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
        let number = listener.number
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            // A socket address of its kind, and its length.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int32 in
                bind(number, pointer, length) == 0 && listen(number, 16) == 0
                    ? getsockname(number, pointer, &length) : -1
            }
        }
        guard status == 0 else { throw SystemError("listen") }
        port = UInt16(bigEndian: address.sin_port)
        try DetachedThread.start(name: "scripted-server") { [self] in accept() }
    }

    /// Its address.
    public var url: String { "http://127.0.0.1:\(port)/" }
    /// The requests so far.
    public var requests: [Request] { record.withLock { $0.requests } }
    /// The number of connections so far.
    public var connections: Int { record.withLock { $0.connections } }
    /// The number of connections closed by either side.
    public var closed: Int { record.withLock { $0.closed } }

    /// Ends every wait.
    public func release() { record.withLock { $0.isReleased = true } }

    /// Stops the server and closes its connections.
    public func stop() {
        record.withLock { record in
            record.isReleased = true
            for number in record.open { shutdown(number, Int32(SHUT_RDWR)) }
        }
        shutdown(listener.number, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let number = waymark_accept(listener.number, Int32(SOCK_CLOEXEC.rawValue))
            guard number >= 0 else { return }
            let count = record.withLock { record in
                record.connections += 1
                record.open.append(number)
                return record.connections
            }
            do {
                try DetachedThread.start(name: "scripted-answer") { [self] in serve(number, count) }
            } catch {
                _ = close(number)
            }
        }
    }

    private func serve(_ number: Int32, _ connection: Int) {
        var bytes: [UInt8] = []
        serving: while let request = read(number, connection, &bytes) {
            record.withLock { $0.requests.append(request) }
            for step in answer(request) {
                switch step {
                case .send(let bytes): guard send(bytes, number) else { break serving }
                case .wait: guard wait(number) else { break serving }
                case .close: break serving
                case .reset:
                    var linger = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                    break serving
                }
            }
        }
        record.withLock { record in
            record.open.removeAll { $0 == number }
            record.closed += 1
        }
        _ = close(number)
    }

    private func send(_ bytes: [UInt8], _ number: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until it is released; whether the client is still connected.
    private func wait(_ number: Int32) -> Bool {
        while !record.withLock({ $0.isReleased }) {
            var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 5) != 0 { return false }
        }
        return true
    }

    private func read(_ number: Int32, _ connection: Int, _ bytes: inout [UInt8]) -> Request? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let request = Self.readRequest(from: &bytes, connection) { return request }
            let count = recv(number, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func readRequest(from bytes: inout [UInt8], _ connection: Int) -> Request? {
        let end: [UInt8] = [13, 10, 13, 10]
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let head = String(decoding: bytes[..<start], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let length = lines.compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return Int(parts[1].drop { $0 == " " })
        }
        let rest = bytes[(start + 4)...]
        guard rest.count >= length.first ?? 0 else { return nil }
        let body = Array(rest.prefix(length.first ?? 0))
        bytes = Array(rest.dropFirst(body.count))
        return Request(head: head, body: body, connection: connection)
    }
}
