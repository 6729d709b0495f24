/// What is known about a stored monitor without its regions.
public struct StoredMonitor: Equatable, Sendable {
    /// Its number in the store, never used again.
    public let id: Int64
    /// Whose it is, and its name.
    public let key: MonitorKey
    /// How many regions it has.
    public var regions: Int
    /// The number of its latest event; 0 for none.
    public var last: Int64
    /// Everything up to this number is acknowledged, or was erased.
    public var acknowledged: Int64
    /// How many events wait to be acknowledged, with the one that reports an overflow.
    public var pending: Int

    /// A monitor.
    public init(id: Int64, key: MonitorKey, regions: Int, last: Int64, acknowledged: Int64, pending: Int) {
        self.id = id
        self.key = key
        self.regions = regions
        self.last = last
        self.acknowledged = acknowledged
        self.pending = pending
    }
}
