import Location

/// What somebody decided for an app, as it is stored.
public enum Permission: String, CaseIterable, Sendable {
    /// Nobody decided.
    case notDetermined
    /// No.
    case denied
    /// While in use, until the app leaves use.
    case once
    /// While in use.
    case whenInUse
    /// Always, to be confirmed when the first position is due in the background; until then while in use.
    case provisionalAlways
    /// Always.
    case always

    /// What the app is told.
    public var status: AuthorizationStatus {
        switch self {
        case .notDetermined: .notDetermined
        case .denied: .denied
        case .once, .whenInUse: .authorizedWhenInUse
        case .provisionalAlways, .always: .authorizedAlways
        }
    }

    /// Whether there is anything that it allows.
    public var isAuthorized: Bool { breadth > 0 }

    /// How much it allows: of two, the one with the lesser breadth never allows what the other does not.
    var breadth: Int {
        switch self {
        case .notDetermined, .denied: 0
        case .once: 1
        case .whenInUse: 2
        case .provisionalAlways: 3
        case .always: 4
        }
    }
}

/// What is allowed, and how exactly.
struct Extent: Equatable {
    var permission: Permission = .notDetermined
    var accuracy: AccuracyAuthorization = .full

    /// What remains in force of this while a decision for another is not durable yet: only what both allow.
    func narrowed(to other: Extent) -> Extent {
        guard permission.isAuthorized, other.permission.isAuthorized else {
            return other.permission.isAuthorized ? self : other
        }
        return Extent(
            permission: other.permission.breadth < permission.breadth ? other.permission : permission,
            accuracy: accuracy == .full ? other.accuracy : accuracy)
    }
}
