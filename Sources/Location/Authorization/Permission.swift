/// The decision about an app, as it is stored.
public enum Permission: String, CaseIterable, Sendable {
    /// There is no decision yet.
    case notDetermined
    /// Denied.
    case denied
    /// While in use, until the app leaves use.
    case once
    /// While in use.
    case whenInUse
    /// Always, to be confirmed when the first position in the background is due; until then while in use.
    case provisionalAlways
    /// Always.
    case always

    /// The status that is reported to the app.
    public var status: AuthorizationStatus {
        switch self {
        case .notDetermined: .notDetermined
        case .denied: .denied
        case .once, .whenInUse: .authorizedWhenInUse
        case .provisionalAlways, .always: .authorizedAlways
        }
    }

    /// Whether it permits any positions.
    public var isAuthorized: Bool { self != .notDetermined && self != .denied }
}
