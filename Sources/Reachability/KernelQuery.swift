/// A question to the kernel that can be put together with others.
public enum KernelQuery: Equatable, Sendable {
    /// What `Kernel.route` asks.
    case route(RouteQuery)
    /// What `Kernel.resolvedRoute` asks.
    case resolvedRoute(RouteQuery)
    /// What `Kernel.neighbour` asks.
    case neighbour(Gateway)
}

/// What the kernel says to it.
public enum KernelAnswer: Equatable, Sendable {
    /// What becomes of what is sent so.
    case route(RouteAnswer)
    /// What is known of the neighbour; nil where that is nothing.
    case neighbour(Neighbour?)
}
