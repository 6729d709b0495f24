/// Whether an app may track the person, as the app learns it: `ATTrackingManager.AuthorizationStatus`.
public enum TrackingAuthorizationStatus: String, CaseIterable, Sendable {
    /// Nobody has decided. The app may request authorization.
    case notDetermined
    /// A restriction of this machine forbids it.
    case restricted
    /// The person or an operator denied it.
    case denied
    /// The app may track the person, and receives the advertising identifier.
    case authorized
}
