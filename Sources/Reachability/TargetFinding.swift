import NetworkPaths

/// What was found when one host was looked at.
public struct TargetFinding: Equatable, Sendable {
    /// The host, without a generation.
    public var target: TargetReachability
    /// The verdict on the address that counts; nil where there is none.
    public var verdict: RouteVerdict?
    /// The address that counts.
    public var address: HostAddress?
    /// What it relies on.
    public var uses: Set<RouteUse> = []
    /// The routers that have not answered, and what they are held for.
    public var doubts: [Gateway: Gateway.Doubt] = [:]
    /// How long it holds by itself; nil for ever.
    public var recheckAfter: Duration?

    /// Whether the kernel answered.
    public var isAnswered: Bool { target.reason != .kernelNotAnswering }
}
