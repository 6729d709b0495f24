import JSONText
import NetworkPaths
import Varlink

extension TargetReachability {
    /// Reads the `Target` of `io.waymark.Reachability`; nil without a host or a status. A status that this version does
    /// not know is `unknown`; an unknown reason, finding or address is ignored.
    public init?(_ json: JSON) {
        guard let host = json["host"]?.stringValue, let status = json["status"]?.stringValue else { return nil }
        self.init(
            host: host, port: json["port"]?.integerValue.flatMap(UInt16.init(exactly:)),
            status: Status(rawValue: status) ?? .unknown,
            reason: json["reason"]?.stringValue.flatMap(UnreachableReason.init))
        isDirect = json["isDirect"]?.boolValue ?? false
        isLocal = json["isLocal"]?.boolValue ?? false
        isSuspect = json["isSuspect"]?.boolValue ?? false
        finding = json["finding"]?.stringValue.flatMap(Finding.init)
        address = json.address("address")
        source = json.address("source")
        gateway = json.address("gateway")
        interface = json["interface"].flatMap(NetworkInterface.init)
        table = json["table"]?.integerValue.flatMap(UInt32.init(exactly:))
        generation = json["generation"]?.integerValue ?? 0
    }

    /// Writes the target for a reply.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("host", host)
            writer.member("port", port)
            writer.member("status", status.rawValue)
            writer.member("reason", reason?.rawValue)
            writer.member("isDirect", isDirect)
            writer.member("isLocal", isLocal)
            writer.member("isExpensive", isExpensive)
            writer.member("isConstrained", isConstrained)
            writer.member("isSuspect", isSuspect)
            writer.member("finding", finding?.rawValue)
            writer.member("address", address?.description)
            writer.member("source", source?.description)
            writer.member("gateway", gateway?.description)
            if let interface {
                writer.key("interface")
                interface.write(to: &writer)
            }
            writer.member("table", table)
            writer.member("generation", generation)
        }
    }
}

extension ReachabilityStep {
    /// Reads the `Step` of `io.waymark.Reachability`; nil where its subject is missing or unknown. An outcome that this
    /// version does not know is `unknown`.
    public init?(_ json: JSON) {
        guard let subject = json["subject"]?.stringValue.flatMap(Subject.init) else { return nil }
        self.init(
            subject, json["outcome"]?.stringValue.flatMap(Outcome.init) ?? .unknown, json["value"]?.stringValue)
    }

    /// Writes the step for a reply.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("subject", subject.rawValue)
            writer.member("outcome", outcome.rawValue)
            writer.member("value", value)
        }
    }
}

extension JSON {
    fileprivate func address(_ name: String) -> IPAddress? {
        self[name]?.stringValue.flatMap { IPAddress($0) }
    }
}
