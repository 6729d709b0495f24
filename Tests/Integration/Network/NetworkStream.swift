import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import Varlink

/// The replies about the path or a host on one call, stored with their times; read by the test's own thread.
final class NetworkStream {
    /// One update.
    struct Reported {
        /// Nanoseconds of CLOCK_MONOTONIC.
        let at: UInt64
        /// The `Path` or the `Target`.
        let json: JSON

        /// `satisfied`, `reachable` and so on.
        var status: String { json["status"]?.stringValue ?? "" }
        /// Why not.
        var reason: UnreachableReason? { json["reason"]?.stringValue.flatMap(UnreachableReason.init) }
        /// Whether something could be sent.
        var isGood: Bool { status == "satisfied" || status == "reachable" }
        /// The interface that is used.
        var interface: String? {
            (json["interfaces"]?.arrayValue?.first ?? json["interface"])?["name"]?.stringValue
        }
        /// How many changes there were.
        var generation: Int64 { json["generation"]?.integerValue ?? -1 }
        /// The complete state of the network as text, to be compared: without the number of changes and the interfaces'
        /// indices, which change when an interface is created again.
        var content: JSON { Self.without(["generation", "index"], json) }

        private static func without(_ names: [String], _ json: JSON) -> JSON {
            switch json {
            case .object(let members):
                .object(
                    members.filter { !names.contains($0.key) }.map { JSON.Member($0.key, without(names, $0.value)) })
            case .array(let values): .array(values.map { without(names, $0) })
            default: json
            }
        }
    }

    /// The watched host; nil for the path.
    let host: String?
    /// Everything so far, over all calls.
    private(set) var reported: [Reported] = []
    /// The error that it ended with.
    private(set) var error: String?
    private var connection: RawConnection
    private var bytes: [UInt8] = []

    /// Calls for the path, or for a host, from within a network, as the test's own user or as another.
    init(
        _ host: String? = nil, of daemon: DaemonProcess, in network: PrivateNetwork, as user: UInt32? = nil
    ) throws {
        self.host = host
        connection = try network.inside {
            guard let user else { return try RawConnection(daemon.socketPath) }
            return try RawConnection(adopting: OtherUser.connect(to: daemon.socketPath, as: user))
        }
        try call()
    }

    /// Calls again: another daemon listens there now.
    func reconnect(to daemon: DaemonProcess, in network: PrivateNetwork) throws {
        connection = try network.inside { try RawConnection(daemon.socketPath) }
        bytes = []
        try call()
    }

    private func call() throws {
        let method: ReachabilityInterface.Method = host == nil ? .monitorPath : .monitorTarget
        let parameters = host.map { #"{"host":"\#($0)"}"# } ?? "{}"
        _ = try connection.send(
            message: #"{"method":"\#(method.rawValue)","parameters":\#(parameters),"more":true}"#)
    }

    /// The last report.
    var last: Reported? { reported.last }

    /// Receives the pending messages.
    func read() throws {
        bytes += try connection.readArrived().bytes
        let now = SystemClock().monotonicNanoseconds
        while let end = bytes.firstIndex(of: 0) {
            let reply = try Reply(parsing: Array(bytes[..<end]))
            bytes.removeSubrange(...end)
            error = error ?? reply.error
            if let json = reply.parameters[host == nil ? "path" : "target"] {
                reported.append(Reported(at: now, json: json))
            }
        }
    }
}

extension NetworkStream: CustomStringConvertible {
    /// Its subject and its reports, with the times since the first, for a failure message.
    var description: String {
        let start = reported.first?.at ?? 0
        let updates = reported.suffix(8).map {
            "\(($0.at - start) / 1_000_000) ms \($0.status) \($0.reason?.rawValue ?? $0.interface ?? "") \($0.generation)"
        }
        return "\(host ?? "path"): \(updates.joined(separator: ", ")) \(error ?? "")"
    }
}
