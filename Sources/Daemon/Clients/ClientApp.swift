import Authorization
import Location
import Platform

/// An app that has running processes.
@DaemonActor
final class ClientApp {
    let id: AppID
    /// Its known processes.
    var processes: [Policy.ProcessID: ClientProcess] = [:]
    /// The authorization that was last reported to it, cached for deliveries.
    var authorizationState: AuthorizationState
    /// Whether it is in use.
    var isInUse = false
    /// The counter of its positions in the present hour.
    var seen: SeenCounter?

    init(_ id: AppID, authorizationState: AuthorizationState) {
        self.id = id
        self.authorizationState = authorizationState
    }

    /// The weakest assurance among its processes.
    var assurance: Assurance? { processes.values.map(\.assurance).min() }
}
