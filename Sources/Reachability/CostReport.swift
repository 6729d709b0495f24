/// What a source of costs, such as NetworkManager, knows of interfaces.
public struct CostReport: Equatable, Sendable {
    /// Whether sending over an interface is metered, by its name; those are missing of which the source knows nothing.
    public var metered: [String: Bool]
    /// Interfaces that the source manages and of which it has not decided yet whether they are metered.
    public var undecided: Set<String>
    /// How often the source was asked anew, where it has not answered everything yet; nil where it has, and where there is
    /// none.
    public var awaited: UInt64?

    /// A report of these parts; without any, there is no source.
    public init(metered: [String: Bool] = [:], undecided: Set<String> = [], awaited: UInt64? = nil) {
        self.metered = metered
        self.undecided = undecided
        self.awaited = awaited
    }
}
