/// How this machine would send to the rest of the world, as NWPath describes it.
public struct NetworkPath: Equatable, Sendable {
    /// Whether it can.
    public enum Status: String, CaseIterable, Sendable {
        /// There is a route, and what it needs.
        case satisfied
        /// There is no route, or it must not be used.
        case unsatisfied
        /// There is a route, but its interface has no carrier or no address yet.
        case requiresConnection
    }

    /// Whether it can.
    public var status: Status
    /// Why not; nil where it can.
    public var reason: UnreachableReason?
    /// The interfaces with a way to the rest of the world, the one that is used first.
    public var interfaces: [NetworkInterface]
    /// Whether there is a way with IPv4.
    public var supportsIPv4: Bool
    /// Whether there is a way with IPv6.
    public var supportsIPv6: Bool
    /// Whether there is a way to a name server.
    public var supportsDNS: Bool
    /// The routers on the way, the one that is used first.
    public var gateways: [IPAddress]
    /// How often the path has changed since the daemon started. An interruption that left everything as it was counts
    /// two: connections of the time before may be dead.
    public var generation: Int64

    /// A path of these parts.
    public init(
        status: Status, reason: UnreachableReason? = nil, interfaces: [NetworkInterface] = [],
        supportsIPv4: Bool = false, supportsIPv6: Bool = false, supportsDNS: Bool = false, gateways: [IPAddress] = [],
        generation: Int64 = 0
    ) {
        self.status = status
        self.reason = reason
        self.interfaces = interfaces
        self.supportsIPv4 = supportsIPv4
        self.supportsIPv6 = supportsIPv6
        self.supportsDNS = supportsDNS
        self.gateways = gateways
        self.generation = generation
    }

    /// Whether the interface that is used costs money.
    public var isExpensive: Bool { interfaces.first?.isExpensive ?? false }
    /// Whether the person asked to send little over the interface that is used.
    public var isConstrained: Bool { interfaces.first?.isConstrained ?? false }
    /// Whether the interface that is used can carry next to nothing.
    public var isUltraConstrained: Bool { interfaces.first?.isUltraConstrained ?? false }
}
