/// The path from this machine to the rest of the world, as NWPath describes it.
public struct NetworkPath: Equatable, Sendable {
    /// Whether the path can be used.
    public enum Status: String, CaseIterable, Sendable {
        /// There is a route, with everything that it needs.
        case satisfied
        /// There is no route, or it must not be used.
        case unsatisfied
        /// There is a route, but its interface has no carrier or no address yet.
        case requiresConnection
    }

    /// Whether the path can be used.
    public var status: Status
    /// The reason why the path is not satisfied; nil if it is.
    public var reason: UnreachableReason?
    /// The interfaces with a route to the rest of the world, the one in use first.
    public var interfaces: [NetworkInterface]
    /// Whether there is a route with IPv4.
    public var supportsIPv4: Bool
    /// Whether there is a route with IPv6.
    public var supportsIPv6: Bool
    /// Whether a name server can be reached.
    public var supportsDNS: Bool
    /// The routers on the path, the one in use first.
    public var gateways: [IPAddress]
    /// The number of changes of the path since the daemon started. A brief interruption counts as two even if the path
    /// is the same afterwards, because earlier connections may be dead.
    public var generation: Int64

    /// Creates a path.
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

    /// Whether sending over the interface in use costs money.
    public var isExpensive: Bool { interfaces.first?.isExpensive ?? false }
    /// Whether the configuration says that little traffic is to be sent over the interface in use.
    public var isConstrained: Bool { interfaces.first?.isConstrained ?? false }
    /// Whether the interface in use can transmit next to nothing.
    public var isUltraConstrained: Bool { interfaces.first?.isUltraConstrained ?? false }
}
