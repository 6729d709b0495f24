import CLinux
import Configuration
import Glibc
import JSONText
import Platform
import Varlink

/// Queries the version and the devices of a gpsd, without the daemon. gpsd_json(5).
struct GPSDProbe {
    /// The address of gpsd.
    let address: GPSDAddress

    private static let seconds = 3.0
    private static let longestAnswer = 64 << 10

    /// Its reply.
    func query() -> DoctorFacts.GPSD {
        do throws(SystemError) {
            switch address {
            case .none: return .unconfigured
            case .tcp(let host, let port): return try converse(Self.connect(host, port))
            case .unix(let path): return try converse(UnixSocket.connect(path: path, timeout: .seconds(Self.seconds)))
            }
        } catch {
            return error.code == ECONNREFUSED || error.code == ENOENT
                ? .refused : .unreachable(SystemError.text(error.code))
        }
    }

    private func converse(_ socket: consuming OwnedDescriptor) throws(SystemError) -> DoctorFacts.GPSD {
        let deadline = PollDeadline(seconds: Self.seconds)
        let request = Array("?DEVICES;\n".utf8)
        try retrying("send") { send(socket.number, request, request.count, Int32(MSG_NOSIGNAL)) }
        var received: [UInt8] = []
        var version: String?
        while received.count < Self.longestAnswer {
            while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(received[..<end])
                received.removeSubrange(...end)
                guard let answer = Self.parse(line) else { return .stranger }
                switch answer["class"]?.stringValue {
                case "VERSION": version = answer["release"]?.stringValue ?? "an unknown version"
                case "DEVICES":
                    guard let version else { return .stranger }
                    let devices = answer["devices"]?.arrayValue ?? []
                    return .answers(version: version, devices: devices.compactMap { $0["path"]?.stringValue })
                default: if version == nil { return .stranger }
                }
            }
            guard try deadline.poll(socket.number, for: POLLIN) else {
                return .unreachable("it did not reply in time")
            }
            var chunk = [UInt8](repeating: 0, count: 8_192)
            let number = socket.number
            let count = try retrying("receive") { recv(number, &chunk, chunk.count, 0) }
            if count == 0 { return version == nil ? .stranger : .unreachable("it closed the connection") }
            received += chunk[..<count]
        }
        return .stranger
    }

    private static func parse(_ line: [UInt8]) -> JSON? {
        let line = line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : line
        do throws(JSONError) { return try JSON.parse(line) } catch { return nil }
    }

    /// Connects to the first address of the host that accepts the connection, getaddrinfo(3).
    private static func connect(_ host: String, _ port: UInt16) throws(SystemError) -> OwnedDescriptor {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else {
            throw SystemError("find", code: EHOSTUNREACH, subject: host)
        }
        defer { freeaddrinfo(list) }
        var failure = SystemError("connect to", code: EHOSTUNREACH, subject: host)
        var entry = list
        while let address = entry?.pointee {
            do throws(SystemError) {
                return try connect(to: address, host)
            } catch {
                failure = error
            }
            entry = address.ai_next
        }
        throw failure
    }

    private static func connect(to address: addrinfo, _ host: String) throws(SystemError) -> OwnedDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = try OwnedDescriptor("socket") { Glibc.socket(address.ai_family, kind, 0) }
        // The limit also applies to connect, socket(7).
        var limit = timeval(tv_sec: Int(seconds), tv_usec: 0)
        try retrying("limit the time of a connection") {
            setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        try retrying("connect to", subject: host) {
            Glibc.connect(socket.number, address.ai_addr, address.ai_addrlen)
        }
        return socket
    }
}
