/// How the network is judged, from the configuration's section `[Reachability]`.
public struct ReachabilitySettings: Equatable, Sendable {
    /// How long a gain has to hold before it is told, where there was no calm; zero tells everything at once.
    public var settle: Duration = .milliseconds(250)
    /// How long it has to hold at most, where the network comes and goes.
    public var maximumSettle: Duration = .seconds(30)
    /// How long a router that did not answer is held for gone, before it may be tried again.
    public var gatewayPatience: Duration = .seconds(30)
    /// What sending costs.
    public var costs = CostPolicy()

    /// The usual settings.
    public init() {}
}
