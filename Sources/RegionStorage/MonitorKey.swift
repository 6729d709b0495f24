/// Which monitor: a name among those of one owner.
public struct MonitorKey: Hashable, Sendable {
    /// Whose monitor.
    public var owner: RegionOwner
    /// Its name, which the store takes as it is.
    public var name: String

    /// A monitor of an owner.
    public init(owner: RegionOwner, name: String) {
        (self.owner, self.name) = (owner, name)
    }
}
