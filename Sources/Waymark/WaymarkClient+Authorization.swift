import Interfaces

// The app's authorization, and requests for it. None of these calls blocks a thread of the caller's. Each throws a
// `WaymarkError`, or `CancellationError` if its task is cancelled, which ends the call.

extension WaymarkClient {
    /// The app's present authorization, with the reasons for its limits. It never causes a prompt.
    ///
    /// Combines `CLLocationManager.authorizationStatus` and `accuracyAuthorization`.
    public func authorization() async throws -> AppAuthorization {
        try await reply(to: LocationInterface.GetAuthorization()).authorization
    }

    /// The app's authorization, now and after every change.
    public func authorizations() -> AuthorizationUpdates { AuthorizationUpdates(client: self) }

    /// Requests positions while the app is in use.
    ///
    /// Returns when the person has answered, which may take minutes. It returns at once if there is no prompt: because
    /// of an earlier decision, because the app is not in use (`insufficientlyInUse`: see `ActivitySession`), or because
    /// no agent can show it (`agentUnavailable`; the request remains listed for an operator, or for an agent that
    /// registers later). Cancelling the task does not withdraw the prompt.
    ///
    /// - Throws: `WaymarkError.purposeMissing` if the manifest has no `WhenInUseUsageDescription`, `.refused` with
    ///   `manifestMissing` if the program is no app, `.requestInProgress`, `.notStored`.
    @discardableResult
    public func requestWhenInUseAuthorization() async throws -> AppAuthorization {
        try await reply(to: LocationInterface.RequestWhenInUse()).authorization
    }

    /// Requests positions also while the app is not in use. The person is asked once only.
    ///
    /// Waits and throws like `requestWhenInUseAuthorization`. The manifest needs `AlwaysAndWhenInUseUsageDescription`
    /// as well.
    @discardableResult
    public func requestAlwaysAuthorization() async throws -> AppAuthorization {
        try await reply(to: LocationInterface.RequestAlways()).authorization
    }

    /// Requests full accuracy until the app is no longer in use, for the purpose with this key in the manifest's
    /// section `[TemporaryUsage]`.
    ///
    /// Waits and throws like `requestWhenInUseAuthorization`. If the person refuses, `accuracy` in the result is
    /// `.reduced`.
    @discardableResult
    public func requestTemporaryFullAccuracyAuthorization(purposeKey: String) async throws -> AppAuthorization {
        let request = LocationInterface.RequestTemporaryFullAccuracy(purposeKey: purposeKey)
        return try await reply(to: request).authorization
    }
}
