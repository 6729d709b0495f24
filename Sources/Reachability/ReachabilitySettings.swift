/// The settings of the evaluation, from the configuration's section `[Reachability]`.
public struct ReachabilitySettings: Equatable, Sendable {
    /// How long a gain has to last before it is reported, if the network was not calm; zero reports everything at once.
    public var settle: Duration = .milliseconds(250)
    /// The longest time that a gain has to last, if the network is unstable.
    public var maximumSettle: Duration = .seconds(30)
    /// How long a router that did not reply counts as unreachable, before it may be tried again.
    public var gatewayPatience: Duration = .seconds(30)
    /// The cost of sending.
    public var costs = CostPolicy()

    /// The default settings.
    public init() {}
}
