/// Why a host or the world cannot be reached, or why that is unknown.
public enum UnreachableReason: String, CaseIterable, Sendable {
    /// There is no route to it: ENETUNREACH.
    case noRoute
    /// The route is of the type unreachable: EHOSTUNREACH.
    case unreachableRoute
    /// A rule or a route forbids it: EACCES.
    case prohibited
    /// A route discards all packets: EINVAL.
    case blackhole
    /// The interface of the route has no carrier, or is down.
    case noCarrier
    /// The interface of the route has no source address.
    case noAddress
    /// The source addresses cannot be used yet: duplicate address detection is running.
    case addressTentative
    /// There is a route, but it is not known yet whether sending over it costs money.
    case costUnknown
    /// The router does not reply to ARP or neighbour discovery.
    case gatewayNotAnswering
    /// There is no such name.
    case nameNotFound
    /// No name server replies.
    case nameServerNotAnswering
    /// The name is being looked up.
    case resolving
    /// The kernel did not reply.
    case kernelNotAnswering
}
