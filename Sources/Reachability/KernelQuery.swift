/// A kernel query that can be sent in a batch with others.
public enum KernelQuery: Equatable, Sendable {
    /// The query of `Kernel.route`.
    case route(RouteQuery)
    /// The query of `Kernel.resolvedRoute`.
    case resolvedRoute(RouteQuery)
    /// The query of `Kernel.neighbour`.
    case neighbour(Gateway)
}

/// The kernel's reply to a batched query.
public enum KernelAnswer: Equatable, Sendable {
    /// The route, or why there is none.
    case route(RouteAnswer)
    /// The neighbour entry; nil if the kernel has none.
    case neighbour(Neighbour?)
}
