import CLinux
import Glibc
import Platform

/// One request of HTTP/1.1 to 127.0.0.1, each on a connection of its own.
public enum HTTPExchange {
    /// Sends a request and returns the response; nil where nobody listens, or the connection ends without a response.
    public static func perform(
        _ method: String, _ path: String, headers: [String] = [], body: [UInt8] = [], port: UInt16,
        seconds: Double = 60
    ) throws -> HTTPResponse? {
        guard let socket = try LoopbackPort.connection(to: port) else { return nil }
        let head =
            ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close", "Content-Length: \(body.count)"]
            + headers
        let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return nil }
            sent += count
        }
        return try answer(from: socket.number, before: PollDeadline(seconds: seconds))
    }

    private static func answer(
        from socket: Int32, before deadline: PollDeadline
    ) throws -> HTTPResponse? {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while received.count < 16 << 20 {
            guard try deadline.poll(socket, for: POLLIN) else { return nil }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count <= 0 { break }
            received += buffer[..<count]
        }
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else {
            return nil
        }
        var headers: [String: String] = [:]
        for line in text[..<end.lowerBound].split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        return HTTPResponse(status: status, headers: headers, body: String(text[end.upperBound...]))
    }
}

/// The response to a request.
public struct HTTPResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The headers by their names in lower case.
    public let headers: [String: String]
    /// The body.
    public let body: String
}
