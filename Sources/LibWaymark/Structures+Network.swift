import CWaymark
import NetworkPaths

// The structures of `waymark.h` about the network, made from the vocabulary of the network.

extension waymark_path {
    init(_ path: NetworkPath, _ memory: EventMemory) {
        let status =
            switch path.status {
            case .satisfied: WAYMARK_REACHABILITY_REACHABLE
            case .requiresConnection: WAYMARK_REACHABILITY_REQUIRES_CONNECTION
            case .unsatisfied: WAYMARK_REACHABILITY_UNREACHABLE
            }
        self.init(
            status: Int32(status.rawValue), reason: memory.text(path.reason?.rawValue),
            interface_count: path.interfaces.count, gateways: memory.texts(path.gateways.map(\.description)),
            generation: path.generation, supports_ipv4: path.supportsIPv4, supports_ipv6: path.supportsIPv6,
            supports_dns: path.supportsDNS, is_expensive: path.isExpensive, is_constrained: path.isConstrained,
            is_ultra_constrained: path.isUltraConstrained)
    }
}

extension waymark_interface {
    init(_ interface: NetworkInterface, _ memory: EventMemory) {
        let kind =
            switch interface.kind {
            case .other: WAYMARK_INTERFACE_OTHER
            case .wired: WAYMARK_INTERFACE_WIRED
            case .wifi: WAYMARK_INTERFACE_WIFI
            case .cellular: WAYMARK_INTERFACE_CELLULAR
            case .vpn: WAYMARK_INTERFACE_VPN
            case .bridge: WAYMARK_INTERFACE_BRIDGE
            case .loopback: WAYMARK_INTERFACE_LOOPBACK
            }
        self.init(
            name: memory.text(interface.name), index: interface.index, kind: Int32(kind.rawValue),
            is_expensive: interface.isExpensive, is_constrained: interface.isConstrained,
            is_ultra_constrained: interface.isUltraConstrained)
    }
}

extension waymark_target {
    init(_ target: TargetReachability, _ memory: EventMemory) {
        let status =
            switch target.status {
            case .reachable: WAYMARK_REACHABILITY_REACHABLE
            case .requiresConnection: WAYMARK_REACHABILITY_REQUIRES_CONNECTION
            case .unreachable: WAYMARK_REACHABILITY_UNREACHABLE
            case .unknown: WAYMARK_REACHABILITY_UNKNOWN
            }
        self.init(
            host: memory.text(target.host), port: Int32(target.port ?? 0), status: Int32(status.rawValue),
            reason: memory.text(target.reason?.rawValue), finding: memory.text(target.finding?.rawValue),
            address: memory.text(target.address?.description), source: memory.text(target.source?.description),
            gateway: memory.text(target.gateway?.description), generation: target.generation,
            is_direct: target.isDirect, is_local: target.isLocal, is_expensive: target.isExpensive,
            is_constrained: target.isConstrained, is_suspect: target.isSuspect)
    }
}
