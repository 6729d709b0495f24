/// What a source of costs, such as NetworkManager, reports about interfaces.
public struct CostReport: Equatable, Sendable {
    /// Whether sending over an interface is metered, by interface name. Interfaces unknown to the source are missing.
    public var metered: [String: Bool]
    /// Interfaces that the source manages but has not classified yet as metered or unmetered.
    public var undecided: Set<String>
    /// The number of times the source was queried from the beginning, if its replies are incomplete; nil if they are
    /// complete, and if there is no source.
    public var awaited: UInt64?

    /// A report of these parts; without any, there is no source.
    public init(metered: [String: Bool] = [:], undecided: Set<String> = [], awaited: UInt64? = nil) {
        self.metered = metered
        self.undecided = undecided
        self.awaited = awaited
    }
}
