import NetworkPaths

/// The result of evaluating one host.
public struct TargetFinding: Equatable, Sendable {
    /// The host, without a generation.
    public var target: TargetReachability
    /// The verdict on the address that counts; nil if there is none.
    public var verdict: RouteVerdict?
    /// The address that counts.
    public var address: HostAddress?
    /// The routes that the host uses.
    public var uses: Set<RouteUse> = []
    /// The routers that have not replied, with the doubt about each.
    public var doubts: [Gateway: Gateway.Doubt] = [:]
    /// How long the finding stays valid without an announcement; nil for no limit.
    public var recheckAfter: Duration?

    /// Whether the kernel replied.
    public var isAnswered: Bool { target.reason != .kernelNotAnswering }
}
