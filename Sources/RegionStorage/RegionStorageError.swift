import Storage

/// Why the store refused something. Nothing was changed then. It never contains a coordinate.
public enum RegionStorageError: Error, Equatable, CustomStringConvertible {
    /// What the limit is of.
    public enum Limited: Equatable, Sendable {
        case monitor, owner, user
    }

    /// The file could not be written or read: the disk is full or broken.
    case unavailable(StorageError)
    /// The owner has no monitor of this name.
    case noSuchMonitor
    /// The owner has as many monitors as it may have.
    case tooManyMonitors(limit: Int)
    /// The monitor, its owner or its user has as many regions as it may have.
    case tooManyRegions(of: Limited, limit: Int)
    /// The number of the monitor's latest event is smaller.
    case noSuchEvent(last: Int64)
    /// Nothing was staged under this number for this monitor.
    case nothingStaged
    /// Too many requests wait, or the store was closed.
    case overloaded

    /// Whether the file is sealed, and the data is locked.
    public var isLocked: Bool {
        if case .unavailable(let error) = self { error.reason == .protectedDataUnavailable } else { false }
    }

    /// For people.
    public var description: String {
        switch self {
        case .unavailable(let error): "the regions could not be stored or read, and nothing was changed: \(error)"
        case .noSuchMonitor: "there is no monitor of this name"
        case .tooManyMonitors(let limit): "at most \(limit) monitors are possible; remove one first"
        case .tooManyRegions(.monitor, let limit): "the monitor may have at most \(limit) regions"
        case .tooManyRegions(.owner, let limit): "the app may have at most \(limit) regions in all its monitors"
        case .tooManyRegions(.user, let limit): "the user may have at most \(limit) regions in all apps"
        case .noSuchEvent(let last): "the latest event of the monitor has the number \(last)"
        case .nothingStaged: "no region was staged for this monitor"
        case .overloaded: "the store of regions is closed, or too many requests wait; try again later"
        }
    }
}
