import Glibc
import Interfaces
import JSONText
import NetworkPaths
import Platform
import TestClients
import TestSupport
import Varlink

/// What a client is told of the path or of a host over one call, kept with the moments; read by the test's own thread.
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
        /// All that says how the network is, in words to be compared: not how often it has changed, nor the interfaces'
        /// numbers, which change when one is made anew.
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

    /// The host that it is about; nil for the path.
    let host: String?
    /// Everything so far, over all calls.
    private(set) var reported: [Reported] = []
    /// The error that it ended with.
    private(set) var error: String?
    private var connection: RawConnection
    private var bytes: [UInt8] = []

    /// Asks for the path, or for a host, from within a network, as the test's own user or as another.
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

    /// Asks anew: another daemon listens there now.
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

    /// What was told last.
    var last: Reported? { reported.last }

    /// Takes what has come.
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
    /// What it is about and what it was told, and when after the first, for a failure.
    var description: String {
        let start = reported.first?.at ?? 0
        let updates = reported.suffix(8).map {
            "\(($0.at - start) / 1_000_000) ms \($0.status) \($0.reason?.rawValue ?? $0.interface ?? "") \($0.generation)"
        }
        return "\(host ?? "path"): \(updates.joined(separator: ", ")) \(error ?? "")"
    }
}
