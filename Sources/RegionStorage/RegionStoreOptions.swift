/// The limits of a store.
public struct RegionStoreOptions: Sendable {
    /// The most events of a monitor that wait to be acknowledged; beyond, the oldest are dropped.
    public var pendingEvents = 10_000
    /// The most requests that wait; further ones are refused.
    public var requestCapacity = 4_096
    /// The most regions without a decision that one pass over a neighbourhood offers, besides those that are near.
    public var undecidedAtOnce = 512

    /// The defaults.
    public init() {}
}
