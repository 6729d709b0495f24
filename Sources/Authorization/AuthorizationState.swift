import Location

/// The authorization state that is reported to an app.
public struct AuthorizationState: Equatable, Sendable {
    /// One of Core Location's five answers.
    public let status: AuthorizationStatus
    /// How exact its positions are.
    public let accuracy: AccuracyAuthorization
    /// Why it has no positions, or not the best ones.
    public let diagnostics: Diagnostics

    init(_ status: AuthorizationStatus, _ accuracy: AccuracyAuthorization, _ diagnostics: Diagnostics) {
        self.status = status
        self.accuracy = accuracy
        self.diagnostics = diagnostics
    }
}
