import Authorization
import Location
import Platform

/// An app of which there are processes.
@DaemonActor
final class ClientApp {
    let id: AppID
    /// Its processes that are known now.
    var processes: [Policy.ProcessID: ClientProcess] = [:]
    /// What it was told last, so that a delivery need not ask for it.
    var authorizationState: AuthorizationState
    /// Whether it is in use.
    var isInUse = false
    /// Where its positions of this hour are counted.
    var seen: SeenCounter?

    init(_ id: AppID, authorizationState: AuthorizationState) {
        self.id = id
        self.authorizationState = authorizationState
    }

    /// The weakest proof among its processes.
    var assurance: Assurance? { processes.values.map(\.assurance).min() }
}
