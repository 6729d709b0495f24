import Interfaces
import Location

// Asynchronous variants of the blocking calls with the same names. In an `async` function these are called. None blocks
// a thread of the caller's. Each throws a `WaymarkError`, or `CancellationError` if its task is cancelled, which ends
// the call at once.

extension WaymarkClient {
    /// One position, awaited as long as the request permits: the equivalent of `CLLocationManager.requestLocation`.
    ///
    /// - Throws: A `WaymarkError`: `.refused` if the app is not authorized, with the next step in its message, and
    ///   `.failed` with `PositionUnknown` if there is none in time.
    public func position(_ request: PositionRequest = PositionRequest()) async throws -> Position {
        try await reply(to: request, more: false).position
    }

    /// The satellites that the receiver has in view. Needs full accuracy.
    public func satellites() async throws -> SkyView {
        try await reply(to: LocationInterface.GetSatellites(), more: false).sky
    }

    /// The state of the daemon. Operators only.
    public func status() async throws -> DaemonStatus {
        try await reply(to: ManageInterface.Status(), more: false).status
    }
}
