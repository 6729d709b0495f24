import Interfaces
import Location

// Tracking, and the advertising identifier: `ATTrackingManager` and `ASIdentifierManager`.

extension WaymarkClient {
    /// Requests authorization to track the person across other companies' apps and websites:
    /// `ATTrackingManager.requestTrackingAuthorization()`.
    ///
    ///     let status = try await client.requestTrackingAuthorization()
    ///     if status == .authorized { print("the person allows it") }
    ///
    /// The person is asked once; afterwards this returns the decision. Returns when the person has answered, which may take
    /// minutes. It returns `.notDetermined` at once if there is no prompt: because the app is not in use (see
    /// `ActivitySession`), because no agent can show it (the request remains listed for an operator, or for an agent that
    /// registers later), or because the person was asked too often. Cancelling the task does not withdraw the prompt.
    ///
    /// - Throws: `WaymarkError.purposeMissing` if the manifest has no `UserTrackingUsageDescription`, `.refused` with
    ///   `identityNotAllowed` if the program is no app, `.requestInProgress`, `.notStored`.
    public func requestTrackingAuthorization() async throws -> TrackingAuthorizationStatus {
        try await reply(to: IdentityInterface.RequestTrackingAuthorization(), more: false).status
    }

    /// Whether the app may track the person: `ATTrackingManager.trackingAuthorizationStatus`. It never causes a prompt.
    ///
    ///     guard try await client.trackingAuthorizationStatus == .authorized else { return }
    ///
    /// - Throws: `WaymarkError.refused` with `identityNotAllowed` if the program is no app.
    public var trackingAuthorizationStatus: TrackingAuthorizationStatus {
        get async throws { try await reply(to: IdentityInterface.GetTrackingAuthorization(), more: false).status }
    }

    /// The identifier that all apps of this user share that may track: `ASIdentifierManager.advertisingIdentifier`.
    ///
    ///     let identifier = try await client.advertisingIdentifier
    ///     if identifier != .zero { print("identifier \(identifier)") }
    ///
    /// `UniqueID.zero` unless the status is authorized. The person can reset it at any time, and the next query returns
    /// another one. It is unrelated to the identifiers of vendors.
    ///
    /// - Throws: `WaymarkError.refused` with `identityNotAllowed` if the program is no app; `.notStored` if the identifier
    ///   could not be stored: repeat the query later.
    public var advertisingIdentifier: UniqueID {
        get async throws {
            let reply = try await reply(to: IdentityInterface.GetAdvertisingIdentifier(), more: false)
            guard let identifier = UniqueID(reply.identifier) else {
                throw WaymarkError.notUnderstood("an identifier that is no UUID")
            }
            return identifier
        }
    }
}
