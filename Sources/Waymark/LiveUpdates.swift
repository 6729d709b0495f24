import Interfaces
import Location

extension LocationUpdate {
    /// The app's kind of movement, for `liveUpdates(_:client:)`: the equivalent of `CLLocationUpdate.LiveConfiguration`.
    public enum LiveConfiguration: Sendable {
        /// No special kind.
        case `default`
        /// A car on roads.
        case automotiveNavigation
        /// A boat, a train or another vehicle.
        case otherNavigation
        /// Walking, running, riding a bicycle.
        case fitness
        /// Flying.
        case airborne

        var activityType: ActivityType {
            switch self {
            case .default: .other
            case .automotiveNavigation: .automotiveNavigation
            case .otherNavigation: .otherNavigation
            case .fitness: .fitness
            case .airborne: .airborne
            }
        }
    }

    /// The position; nil if there is none to report.
    public var location: Position? { position }

    /// Positions as they are received, also before the app is authorized and when it is not any more: the equivalent of
    /// `CLLocationUpdate.liveUpdates(_:)`.
    ///
    ///     for try await update in LocationUpdate.liveUpdates(.fitness) {
    ///         if let location = update.location { … } else if update.authorizationDenied { … }
    ///     }
    ///
    /// Positions pause while the machine does not move. The sequence never shows a prompt: `ServiceSession` does.
    public static func liveUpdates(
        _ configuration: LiveConfiguration = .default, client: WaymarkClient = WaymarkClient()
    ) -> LiveUpdates {
        LiveUpdates(
            client: client,
            request: MonitorRequest(activityType: configuration.activityType, pausesAutomatically: true))
    }
}

/// The positions of `LocationUpdate.liveUpdates(_:client:)`, for `for try await`.
///
/// While the app is not authorized, an update without a position has the reason, and another one comes when the reason
/// changes. Only the newest update is buffered for a slow reader. The sequence ends with an error if the daemon is not
/// running when it begins, or fails otherwise; a daemon that stops later is waited for.
public struct LiveUpdates: AsyncSequence, Sendable {
    /// The elements of the sequence.
    public typealias Element = LocationUpdate
    /// A `WaymarkError`.
    public typealias Failure = any Error

    let client: WaymarkClient
    let request: MonitorRequest

    /// Starts the stream.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(client: client, request: request) }

    /// An iterator over updates.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Phase {
            case positions(LocationUpdates.AsyncIterator)
            /// The app is not authorized; the iterator reports changes.
            case refused(AuthorizationUpdates.AsyncIterator)
        }

        private let updates: LocationUpdates
        private let client: WaymarkClient
        private var phase: Phase

        fileprivate init(client: WaymarkClient, request: MonitorRequest) {
            self.client = client
            updates = LocationUpdates(client: client, request: request)
            phase = .positions(updates.makeAsyncIterator())
        }

        /// The next update; nil after the task was cancelled. Throws a `WaymarkError`.
        public mutating func next() async throws -> LocationUpdate? {
            while true {
                switch phase {
                case .positions(var positions):
                    do {
                        let update = try await positions.next()
                        phase = .positions(positions)
                        return update
                    } catch WaymarkError.refused {
                        phase = .refused(client.authorizations().makeAsyncIterator())
                    }
                case .refused(var authorizations):
                    guard let authorization = try await authorizations.next() else { return nil }
                    phase = .refused(authorizations)
                    if !authorization.status.isAuthorized { return LocationUpdate(without: authorization) }
                    phase = .positions(updates.makeAsyncIterator())
                }
            }
        }
    }
}

extension LocationUpdate {
    /// An update without a position, with the reasons of an authorization.
    fileprivate init(without authorization: AppAuthorization) {
        self.init(
            position: nil, authorizationStatus: authorization.status,
            accuracyAuthorization: authorization.accuracy, diagnostics: authorization.diagnostics, stationary: false,
            dropped: 0)
    }
}
