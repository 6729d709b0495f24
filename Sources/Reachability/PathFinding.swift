import NetworkPaths

/// What is relied on: if it is gone for a moment, connections may be dead although all is as before.
public struct RouteUse: Hashable, Sendable {
    /// The version of the protocol.
    public var family: IPAddress.Family
    /// The interface.
    public var interface: Int32
    /// The address that is sent from.
    public var source: IPAddress?

    /// A use of these parts.
    public init(family: IPAddress.Family, interface: Int32, source: IPAddress? = nil) {
        self.family = family
        self.interface = interface
        self.source = source
    }

    /// Why it was interrupted by what the kernel has announced; nil where it was not.
    func interruption(by events: NetworkEvents) -> UnreachableReason? {
        if events.interrupted.contains(interface) { return .noCarrier }
        guard let source else { return nil }
        // A source may stand on another interface than the one that is used.
        return events.lostAddresses.contains { $0.address == source } ? .noAddress : nil
    }
}

/// What was found when the whole network was looked at.
public struct PathFinding: Equatable, Sendable {
    /// The path, without a generation.
    public var path: NetworkPath
    /// Whether the kernel answered every question that counts: otherwise the path says nothing.
    public var isAnswered: Bool
    /// What it relies on.
    public var uses: Set<RouteUse>
    /// The routers that have not answered, and what they are held for.
    public var doubts: [Gateway: Gateway.Doubt]
    /// How long the path holds by itself; nil for ever.
    public var recheckAfter: Duration?

    /// Takes over what a verdict has found out about routers, and how long it holds.
    mutating func note(_ verdict: borrowing RouteVerdict) {
        if !verdict.doubts.isEmpty { doubts.merge(verdict.doubts) { $1 } }
        if let after = verdict.recheckAfter { recheckAfter = min(recheckAfter ?? after, after) }
    }
}
