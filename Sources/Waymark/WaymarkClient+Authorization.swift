import Interfaces

// What the app may have, and asking for it. None of these calls blocks a thread of the caller's; each throws a
// `WaymarkError`, or `CancellationError` where its task is cancelled, which ends the call.

extension WaymarkClient {
    /// What the app is allowed now, and why not more. Never asks anybody.
    ///
    /// `CLLocationManager.authorizationStatus` and `accuracyAuthorization` in one.
    public func authorization() async throws -> AppAuthorization {
        try await reply(to: LocationInterface.GetAuthorization()).authorization
    }

    /// What the app is allowed, now and after every change.
    public func authorizations() -> AuthorizationUpdates { AuthorizationUpdates(client: self) }

    /// Asks the person to allow positions while the app is in use.
    ///
    /// Returns when the person has answered, which may take minutes, or at once where nobody is asked: because it was
    /// decided before, the app is not in use (`insufficientlyInUse`: see `ActivitySession`), or there is nobody to ask
    /// (`agentUnavailable`; the request stays, for an operator or an agent that comes later). A cancelled task does
    /// not take the question away from the person.
    ///
    /// - Throws: `WaymarkError.purposeMissing` where the manifest has no `WhenInUseUsageDescription`, `.refused`
    ///   with `manifestMissing` where the program is no app, `.requestInProgress`, `.notStored`.
    public func requestWhenInUseAuthorization() async throws -> AppAuthorization {
        try await reply(to: LocationInterface.RequestWhenInUse()).authorization
    }

    /// Asks the person to allow positions also while the app is not in use; once ever.
    ///
    /// Waits and throws like `requestWhenInUseAuthorization`; the manifest needs `AlwaysAndWhenInUseUsageDescription`, too.
    public func requestAlwaysAuthorization() async throws -> AppAuthorization {
        try await reply(to: LocationInterface.RequestAlways()).authorization
    }

    /// Asks the person for full accuracy until the app leaves use, for the purpose that the manifest gives under this
    /// key of its section `[TemporaryUsage]`.
    ///
    /// Waits and throws like `requestWhenInUseAuthorization`; refused is `accuracy == .reduced` in what is returned.
    public func requestTemporaryFullAccuracyAuthorization(purposeKey: String) async throws -> AppAuthorization {
        let request = LocationInterface.RequestTemporaryFullAccuracy(purposeKey: purposeKey)
        return try await reply(to: request).authorization
    }
}
