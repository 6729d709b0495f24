/// Why something cannot be reached, or why it is not known.
public enum UnreachableReason: String, CaseIterable, Sendable {
    /// No route leads there: ENETUNREACH.
    case noRoute
    /// A route says that it is unreachable: EHOSTUNREACH.
    case unreachableRoute
    /// A rule or a route forbids it: EACCES.
    case prohibited
    /// A route throws away what is sent there: EINVAL.
    case blackhole
    /// The interface of the route has no carrier, or is down.
    case noCarrier
    /// The interface of the route has no address to send from.
    case noAddress
    /// The addresses to send from are not ready for use: it is being found out whether another has the same.
    case addressTentative
    /// There is a way, and it is not known yet whether sending over it costs money.
    case costUnknown
    /// The router does not answer to its address.
    case gatewayNotAnswering
    /// There is no such name.
    case nameNotFound
    /// No name server answers.
    case nameServerNotAnswering
    /// The name is being looked up.
    case resolving
    /// The kernel did not answer.
    case kernelNotAnswering
}
