import Location

/// The authorization state that is reported to an app.
public struct AuthorizationState: Equatable, Sendable {
    /// The status, one of five as in Core Location.
    public let status: AuthorizationStatus
    /// The accuracy of its positions.
    public let accuracy: AccuracyAuthorization
    /// Why it receives no positions, or less exact ones.
    public let diagnostics: Diagnostics

    init(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization, _ diagnostics: Diagnostics) {
        self.status = status
        self.accuracy = accuracy
        self.diagnostics = diagnostics
    }
}
