/// Whether an app may receive positions: the five values of Core Location.
public enum AuthorizationStatus: String, CaseIterable, Sendable {
    case notDetermined, restricted, denied, authorizedWhenInUse, authorizedAlways

    /// Whether the app may receive positions at all.
    public var isAuthorized: Bool { self == .authorizedWhenInUse || self == .authorizedAlways }
}

/// The accuracy of the positions that an app may receive.
public enum AccuracyAuthorization: String, CaseIterable, Sendable {
    case full, reduced
}

/// Why an app receives no position, or not the most accurate one: the values of Core Location, and two for a machine
/// without a screen.
public enum Diagnostic: String, CaseIterable, Sendable {
    case authorizationDenied, authorizationDeniedGlobally, authorizationRestricted, insufficientlyInUse
    case authorizationRequestInProgress, accuracyLimited, locationUnavailable, stationary, fullAccuracyDenied
    case alwaysAuthorizationDenied, agentUnavailable, manifestMissing
}
