/// What is stored, without regions.
public struct LoadedRegions: Equatable, Sendable {
    /// All monitors, in the order of their numbers.
    public var monitors: [StoredMonitor]
}

/// The result of adding regions.
public struct AddedRegions: Equatable, Sendable {
    /// How many regions were added, without those that replaced another.
    public var added: Int
    /// How many regions replaced another of the same identifier.
    public var replaced: Int
    /// The monitor afterwards.
    public var monitor: StoredMonitor
}

/// The result of removing regions.
public struct RemovedRegions: Equatable, Sendable {
    /// How many regions were removed.
    public var removed: Int
    /// The monitor afterwards; nil if it was removed.
    public var monitor: StoredMonitor?
}

/// Some regions of a monitor, in the order of their identifiers.
public struct RegionPage: Equatable, Sendable {
    /// The regions.
    public var regions: [StoredRegion]
    /// Whether there is none after the last one.
    public var isComplete: Bool
}

/// Some events of a monitor, in the order of their numbers.
public struct RegionEventPage: Equatable, Sendable {
    /// The events.
    public var events: [StoredRegionEvent]
    /// Whether there is none after the last one.
    public var isComplete: Bool
}

/// What happened to the file, for the journal.
public enum RegionStorageReport: Equatable, Sendable {
    /// The file was damaged, and was set aside under this name in the state directory. What could be read of it was restored.
    case damaged(file: String, reason: String, restored: Int, lost: Int)
}
