import Glibc
import Interfaces
import Platform
import TestSupport
import Varlink

/// A client of the daemon, told when there is something to read in its socket.
final class DaemonClient: Witness {
    let name: String
    private let socket: OwnedDescriptor
    private let arrivals = Arrivals()

    /// Begins to watch the path, or a host, and waits for the first answer.
    init(of daemon: DaemonProcess, watching host: String?) throws {
        name = "waymarkd, \(host == nil ? "path" : "target")"
        socket = try UnixSocket.connect(path: daemon.socketPath)
        let call =
            host.map {
                CallRequest(
                    method: "io.waymark.Reachability.MonitorTarget", parameters: .object([.init("host", .string($0))]),
                    more: true)
            } ?? CallRequest(method: "io.waymark.Reachability.MonitorPath", more: true)
        let (request, descriptor) = (call.encoded, socket.number)
        try retrying("ask the daemon") { request.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        try arrivals.collect(from: descriptor, thread: "client")
        guard eventually(within: 10, { arrivals.count > 0 }) else {
            throw OwnNetwork.Unavailable(description: "waymarkd does not answer:\n\(daemon.log)")
        }
    }

    /// What came and when, without the NUL between.
    var messages: [(at: UInt64, bytes: [UInt8])] {
        var messages: [(at: UInt64, bytes: [UInt8])] = []
        var rest: [UInt8] = []
        for (at, bytes) in arrivals.all {
            var start = bytes.startIndex
            for end in bytes.indices where bytes[end] == 0 {
                messages.append((at, rest + bytes[start..<end]))
                rest = []
                start = end + 1
            }
            rest += bytes[start...]
        }
        return messages
    }

    func end() throws -> Testimony {
        shutdown(socket.number, Int32(SHUT_RDWR))
        guard arrivals.waitForEnd() else { throw OwnNetwork.Unavailable(description: "the connection does not end") }
        var testimony = Testimony(losses: [], gains: [])
        for (at, bytes) in messages {
            let parameters = try JSON.parse(bytes)["parameters"]
            switch (parameters?["path"] ?? parameters?["target"])?["status"]?.stringValue {
            case "satisfied", "reachable": testimony.gains.append(at)
            case .some: testimony.losses.append(at)
            case nil: throw OwnNetwork.Unavailable(description: String(decoding: bytes, as: UTF8.self))
            }
        }
        return testimony
    }
}
