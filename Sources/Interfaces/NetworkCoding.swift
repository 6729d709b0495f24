import JSONText
import NetworkPaths
import Varlink

extension NetworkInterface {
    /// Reads the `Interface` of `io.waymark.Reachability`; nil without a name. A kind that this version does not know
    /// is `other`.
    public init?(_ json: JSON) {
        guard let name = json["name"]?.stringValue else { return nil }
        self.init(
            name: name, index: json["index"]?.integerValue.flatMap(Int32.init(exactly:)) ?? 0,
            kind: json["kind"]?.stringValue.flatMap(Kind.init) ?? .other,
            isExpensive: json["isExpensive"]?.boolValue ?? false,
            isConstrained: json["isConstrained"]?.boolValue ?? false,
            isUltraConstrained: json["isUltraConstrained"]?.boolValue ?? false)
    }

    /// Writes the interface for a reply.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("index", index)
            writer.member("kind", kind.rawValue)
            writer.member("isExpensive", isExpensive)
            writer.member("isConstrained", isConstrained)
            writer.member("isUltraConstrained", isUltraConstrained)
        }
    }
}

extension NetworkPath {
    /// Reads the `Path` of `io.waymark.Reachability`; nil where its status is missing or unknown. A reason that this
    /// version does not know is ignored; interfaces and gateways that cannot be read are left out.
    public init?(_ json: JSON) {
        guard let status = json["status"]?.stringValue.flatMap(Status.init) else { return nil }
        self.init(
            status: status, reason: json["reason"]?.stringValue.flatMap(UnreachableReason.init),
            interfaces: json["interfaces"]?.arrayValue?.compactMap(NetworkInterface.init) ?? [],
            supportsIPv4: json["supportsIPv4"]?.boolValue ?? false,
            supportsIPv6: json["supportsIPv6"]?.boolValue ?? false,
            supportsDNS: json["supportsDNS"]?.boolValue ?? false,
            gateways: json["gateways"]?.arrayValue?.compactMap(\.stringValue).compactMap { IPAddress($0) } ?? [],
            generation: json["generation"]?.integerValue ?? 0)
    }

    /// Writes the path for a reply.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("status", status.rawValue)
            writer.member("reason", reason?.rawValue)
            writer.array("interfaces") { writer in
                for interface in interfaces { interface.write(to: &writer) }
            }
            writer.member("supportsIPv4", supportsIPv4)
            writer.member("supportsIPv6", supportsIPv6)
            writer.member("supportsDNS", supportsDNS)
            writer.array("gateways") { writer in
                for gateway in gateways { writer.string(gateway.description) }
            }
            writer.member("isExpensive", isExpensive)
            writer.member("isConstrained", isConstrained)
            writer.member("isUltraConstrained", isUltraConstrained)
            writer.member("generation", generation)
        }
    }
}
