import Authorization
import Containers
import Location

/// A host whose return wakes an app.
public struct WakeTarget: Hashable, Sendable {
    /// The name or address, as the app wrote it.
    public let host: String
    /// The port; nil for any.
    public let port: UInt16?

    /// A host and a port.
    public init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }
}

/// What an app has requested to be woken for, besides its monitors of regions. A request is stored, and continues until the app
/// withdraws it. Pushes are not requested: the manifest names the containers.
public enum WakeSubscription: Hashable, Sendable {
    /// Visits.
    case visits
    /// Movements of more than half a kilometre.
    case significantChange
    /// The return of the route to the rest of the world.
    case path
    /// The return of a host.
    case target(WakeTarget)
    /// Changes of a container's records on other machines.
    case push(SyncedContainer)

    /// The word of the manifest that permits it.
    public var cause: WakeCause {
        switch self {
        case .visits: .visits
        case .significantChange: .significantChange
        case .path: .path
        case .target: .target
        case .push: .push
        }
    }
}

/// An event of a subscription. It has no position: an app that is authorized requests that.
public struct WakeEvent: Equatable, Sendable {
    /// 1, 2, 3 … for each app.
    public let sequence: Int64
    /// What it is an event of.
    public let subscription: WakeSubscription
    /// Of a push: the subscriptions to queries that have fired.
    public let fired: [FiredSubscription]
    /// When it happened.
    public let time: UTCTime

    /// An event with these values.
    public init(sequence: Int64, subscription: WakeSubscription, fired: [FiredSubscription] = [], time: UTCTime) {
        self.sequence = sequence
        self.subscription = subscription
        self.fired = fired
        self.time = time
    }
}
