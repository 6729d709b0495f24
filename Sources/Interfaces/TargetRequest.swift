import JSONText
import NetworkPaths
import Varlink

/// Which host: the parameters of `GetTarget` and `MonitorTarget` of `io.waymark.Reachability`.
public struct TargetRequest: Equatable, Sendable {
    /// The host, by name or address.
    public var host: String
    /// The port, 1 to 65535. It is not looked at: the answer repeats it.
    public var port: UInt16?

    /// A request for this host.
    public init(host: String, port: UInt16? = nil) {
        self.host = host
        self.port = port
    }

    /// The host as it is understood; nil for what is neither a name nor an address, which is `InvalidHost`.
    public var target: TargetHost? { TargetHost(host) }

    /// Reads the parameters of a call. Whether the host is one, `target` tells.
    public init(_ json: JSON) throws(ParameterError) {
        host = try json.required("host") { $0 }
        port = try json.integer("port", in: 1...Int64(UInt16.max)).map(UInt16.init)
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("host", host)
        writer.member("port", port)
    }
}

/// What came of trying to reach a host: the parameters of `io.waymark.Reachability.ReportTarget`.
public struct TargetReport: Equatable, Sendable {
    /// What may come of it.
    public typealias Outcome = ReportedOutcome

    /// Which host.
    public var request: TargetRequest
    /// What came of it.
    public var outcome: Outcome

    /// A report about this host.
    public init(_ request: TargetRequest, _ outcome: Outcome) {
        self.request = request
        self.outcome = outcome
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        request = try TargetRequest(json)
        outcome = try json.required("outcome", Outcome.init)
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            request.writeMembers(to: &writer)
            writer.member("outcome", outcome.rawValue)
        }
    }
}

/// Whether a host can be reached, and what was looked at: the reply of `io.waymark.Reachability.GetTarget`.
public struct TargetAnswer: Equatable, Sendable {
    /// Whether it can be reached.
    public var target: TargetReachability
    /// What was looked at, in that order.
    public var steps: [ReachabilityStep]

    /// An answer of these parts.
    public init(target: TargetReachability, steps: [ReachabilityStep]) {
        self.target = target
        self.steps = steps
    }

    /// Reads a reply's parameters; nil where they hold no target. Steps that cannot be read are left out.
    public init?(_ json: JSON) {
        guard let target = json["target"].flatMap(TargetReachability.init) else { return nil }
        self.init(target: target, steps: json["steps"]?.arrayValue?.compactMap(ReachabilityStep.init) ?? [])
    }

    /// The members of the reply.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.key("target")
        target.write(to: &writer)
        writer.array("steps") { writer in steps.forEach { $0.write(to: &writer) } }
    }
}
