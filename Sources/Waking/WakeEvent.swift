import Authorization
import Containers
import Location

/// A host that wakes an app when it is reachable again.
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

/// What an app is woken for, besides its monitors of regions. The app requests it, and the request is stored until the app
/// withdraws it; for pushes the manifest names the containers.
public enum WakeSubscription: Hashable, Sendable {
    /// Visits.
    case visits
    /// Movements of more than half a kilometre.
    case significantChange
    /// There is a route to the rest of the Internet again.
    case path
    /// A host is reachable again.
    case target(WakeTarget)
    /// Changes of a container's records on other machines.
    case push(SyncedContainer)

    /// The word for it: in `For=` of the manifest's section `[Wake]`, which permits it, and in reports of why an app runs.
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

/// An event of a subscription. It contains no position: the app requests one itself, if it is authorized.
public struct WakeEvent: Equatable, Sendable {
    /// 1, 2, 3 … for each app.
    public let sequence: Int64
    /// What it is an event of.
    public let subscription: WakeSubscription
    /// Of a push: the queries of the app, made with waymark-sync, to which a changed record belongs.
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
