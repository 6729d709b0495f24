import NetworkPaths

/// A route that a reported state uses. After even a brief interruption of it, connections may be dead although the
/// state is the same as before.
public struct RouteUse: Hashable, Sendable {
    /// The IP version.
    public var family: IPAddress.Family
    /// The interface.
    public var interface: Int32
    /// The source address.
    public var source: IPAddress?

    /// Creates a route use.
    public init(family: IPAddress.Family, interface: Int32, source: IPAddress? = nil) {
        self.family = family
        self.interface = interface
        self.source = source
    }

    /// The reason if these announcements interrupted the route; otherwise nil.
    func interruption(by events: NetworkEvents) -> UnreachableReason? {
        if events.interrupted.contains(interface) { return .noCarrier }
        guard let source else { return nil }
        // A source address may belong to another interface than the outgoing one.
        return events.lostAddresses.contains { $0.address == source } ? .noAddress : nil
    }
}

/// The result of evaluating the whole network.
public struct PathFinding: Equatable, Sendable {
    /// The path, without a generation.
    public var path: NetworkPath
    /// Whether the kernel replied to every relevant query. Otherwise the path is meaningless.
    public var isAnswered: Bool
    /// The routes that the path uses.
    public var uses: Set<RouteUse>
    /// The routers that have not replied, with the doubt about each.
    public var doubts: [Gateway: Gateway.Doubt]
    /// How long the path stays valid without an announcement; nil for no limit.
    public var recheckAfter: Duration?

    /// Adds the doubts about routers of a verdict, and shortens the validity to that verdict's.
    mutating func note(_ verdict: borrowing RouteVerdict) {
        if !verdict.doubts.isEmpty { doubts.merge(verdict.doubts) { $1 } }
        if let after = verdict.recheckAfter { recheckAfter = min(recheckAfter ?? after, after) }
    }
}
