import Platform

/// What a service manager reports about a service: properties of `org.freedesktop.systemd1.Unit`,
/// org.freedesktop.systemd1(5).
struct ServiceState: Equatable {
    /// `loaded`, `not-found`, `masked` and others.
    var load: String
    /// `active`, `inactive`, `failed`, `activating`, `deactivating` and others.
    var active: String
    /// `running`, `frozen` and others.
    var freezer: String
    /// The state of the unit file: `enabled`, `disabled`, `masked`, `static` and others; empty if the unit has no file.
    var fileState: String
    /// When it last left the inactive state, and when its conditions were last checked: both differ after each start.
    var starts: [UInt64]

    /// The state in the properties of a unit.
    init(_ properties: [String: BusValue]) {
        (load, active, freezer, fileState) = ("", "", "", "")
        starts = Self.timestamps.map { _ in 0 }
        apply(properties)
    }

    /// Applies properties that have changed.
    mutating func apply(_ properties: [String: BusValue]) {
        func set(_ property: inout String, _ name: String) {
            if let text = properties[name]?.string { property = text }
        }
        set(&load, "LoadState")
        set(&active, "ActiveState")
        set(&freezer, "FreezerState")
        set(&fileState, "UnitFileState")
        for (index, name) in Self.timestamps.enumerated() {
            if let time = properties[name]?.uint64 { starts[index] = time }
        }
    }

    private static let timestamps = ["InactiveExitTimestampMonotonic", "ConditionTimestampMonotonic"]

    /// What to do for an order.
    enum Step: Equatable {
        case start, thaw
        case report(Outcome)

        /// A result without a start.
        enum Outcome: Equatable { case alreadyRunning, stopped, masked, noService }
    }

    /// What to do for an order. `wasStopped` is whether a person has stopped the service since it ran, and the daemon does
    /// not know that yet.
    func step(wasStopped: Bool) -> Step {
        switch load {
        case "masked": return .report(.masked)
        case "loaded": break
        default: return .report(.noService)
        }
        if freezer == "frozen" { return .thaw }
        if isRunning { return .report(.alreadyRunning) }
        return wasStopped ? .report(.stopped) : .start
    }

    /// Whether it runs, or is about to.
    var isRunning: Bool { ["active", "activating", "reloading", "refreshing"].contains(active) }

    /// Whether it does not run, and its end is over.
    var isDown: Bool { active == "inactive" || active == "failed" }

    /// What a person has set about its automatic start; nil where no unit is loaded. A loaded unit without a file counts as enabled.
    var setting: Setting? {
        if load == "masked" || fileState.hasPrefix("masked") { return .masked }
        guard load == "loaded" else { return nil }
        return fileState == "disabled" ? .disabled : .enabled
    }

    /// A setting of a service.
    enum Setting: Equatable { case enabled, disabled, masked }
}
