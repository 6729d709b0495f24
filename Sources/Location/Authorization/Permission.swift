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

    /// Whether it allows anything.
    public var isAuthorized: Bool { self != .notDetermined && self != .denied }
}
