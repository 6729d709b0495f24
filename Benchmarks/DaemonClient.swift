import Glibc
import Interfaces
import JSONText
import Platform
import TestSupport
import Varlink

/// A client of the daemon, timed by when its socket becomes readable.
final class DaemonClient: Witness {
    let name: String
    private let socket: OwnedDescriptor
    private let arrivals = Arrivals()
    private var wakes: WakeTrace?
    /// Once it has ended: the times at which the replies were in the socket, where its wakes were traced.
    private(set) var inSocket: Testimony?

    /// Begins to watch the path, or a host, and waits for the first reply.
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
        try retrying("call the daemon") { request.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        try arrivals.collect(from: descriptor, thread: "client")
        guard eventually(within: 10, { arrivals.count > 0 }) else {
            throw OwnNetwork.Unavailable(description: "waymarkd does not reply:\n\(daemon.log)")
        }
    }

    /// Makes the kernel trace when it wakes this client, for `inSocket`, where the kernel supports that.
    func traceWakes() { wakes = WakeTrace(of: arrivals.threadID) }

    /// The replies and their times, without the terminating NUL.
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
        let instants = try wakes?.instants()
        var (reported, inSocket) = (Testimony(losses: [], gains: []), Testimony(losses: [], gains: []))
        var before: UInt64 = 0
        for (at, bytes) in messages {
            // No wake-up was needed for a reply that arrived while the previous one was read.
            let woken = instants?.last { $0 > before && $0 <= at } ?? at
            before = at
            let parameters = try JSON.parse(bytes)["parameters"]
            guard let status = (parameters?["path"] ?? parameters?["target"])?["status"]?.stringValue else {
                throw OwnNetwork.Unavailable(description: String(decoding: bytes, as: UTF8.self))
            }
            let isGain = status == "satisfied" || status == "reachable"
            let side = isGain ? \Testimony.gains : \Testimony.losses
            reported[keyPath: side].append(at)
            inSocket[keyPath: side].append(woken)
        }
        self.inSocket = instants == nil ? nil : inSocket
        return reported
    }
}
