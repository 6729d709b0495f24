import Interfaces
import RegionStorage

extension RegionsInterface.Failure {
    /// The error for regions that cannot be read or stored.
    static func unavailable(_ reason: String) -> Self {
        .regionsUnavailable(
            message: "Regions are not available: \(reason). Nothing was changed. See `waymark status`.")
    }

    /// The error for regions that are sealed while the data is locked.
    static func locked(_ reason: String) -> Self {
        .protectedDataUnavailable(
            message: "Regions cannot be read or changed until the data is unlocked for the first time since the start:"
                + " \(reason). Nothing was changed.")
    }

    /// The error for the name of a monitor.
    static var invalidMonitorName: Self {
        .invalidIdentifier(
            index: nil,
            message:
                "A monitor's name has 1 to 128 letters, digits, dots, hyphens and underscores, not beginning with a"
                + " dot.")
    }

    /// The error for a name that no monitor of the caller has.
    static func noSuchMonitor(named name: String) -> Self {
        .noSuchMonitor(monitor: name, message: "There is no monitor of this name. Add regions to it first.")
    }

    /// The error for a commit without staged regions.
    static func nothingStaged(of name: String) -> Self {
        .nothingStaged(
            monitor: name,
            message: "This connection has staged no regions for the monitor since the daemon started. Add them with"
                + " `staged`, and commit them on the same connection.")
    }

    /// The error for the number of an event that does not exist yet.
    static func noSuchEvent(_ sequence: Int64, last: Int64) -> Self {
        .noSuchEvent(
            sequence: sequence, message: "The monitor has no event \(sequence). The number of its latest is \(last).")
    }

    /// The error for a failure of the store.
    init(_ error: RegionStorageError, of name: String) {
        self =
            switch error {
            case .noSuchMonitor: .noSuchMonitor(named: name)
            case .nothingStaged: .nothingStaged(of: name)
            case .tooManyMonitors: .tooManyMonitors(message: Self.sentence(error))
            case .tooManyRegions: .tooManyRegions(message: Self.sentence(error))
            case .noSuchEvent(let last): .noSuchEvent(last, last: last)
            case .unavailable, .overloaded:
                error.isLocked ? .locked(error.description) : .unavailable(error.description)
            }
    }

    /// A description of the store as a sentence.
    private static func sentence(_ error: RegionStorageError) -> String {
        let text = error.description
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
