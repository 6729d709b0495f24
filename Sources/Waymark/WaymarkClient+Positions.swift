import Interfaces
import Location

// The same as the calls of these names that block, without blocking a thread of the caller's. In an `async` function
// these are the ones that are called. Each throws a `WaymarkError`, or `CancellationError` where its task is cancelled,
// which ends the call at once.

extension WaymarkClient {
    /// One position, waited for as long as the request allows: `CLLocationManager.requestLocation` in Core Location.
    ///
    /// - Throws: a `WaymarkError`: `.refused` where the app is not authorized, with the next step in its message, and
    ///   `.failed` with `PositionUnknown` where there is none in time.
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
