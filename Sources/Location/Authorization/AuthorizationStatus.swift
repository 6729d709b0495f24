/// Whether an app may have positions: Core Location's five answers.
public enum AuthorizationStatus: String, CaseIterable, Sendable {
    case notDetermined, restricted, denied, authorizedWhenInUse, authorizedAlways
}

/// How exact the positions are that an app may have.
public enum AccuracyAuthorization: String, CaseIterable, Sendable {
    case full, reduced
}

/// Why an app gets no position, or not the best one: Core Location's set, and two of a machine without a screen.
public enum Diagnostic: String, CaseIterable, Sendable {
    case authorizationDenied, authorizationDeniedGlobally, authorizationRestricted, insufficientlyInUse
    case authorizationRequestInProgress, accuracyLimited, locationUnavailable, stationary, fullAccuracyDenied
    case alwaysAuthorizationDenied, agentUnavailable, manifestMissing
}
