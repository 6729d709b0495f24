import Location

/// Receives what a `LocationManager` reports: the equivalent of Core Location's `CLLocationManagerDelegate`. Each method
/// may be left out.
///
/// The methods are called on the actor that made the manager. A class of an actor conforms on that actor:
///
///     @MainActor final class Map: @MainActor LocationManagerDelegate { … }
public protocol LocationManagerDelegate: AnyObject {
    /// The authorization or the accuracy of the app has changed; also called once after the manager was made.
    func locationManagerDidChangeAuthorization(_ manager: LocationManager)
    /// New positions, oldest first.
    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Position])
    /// There is no position, or no other data that was requested. The manager tries again by itself; `error` says when.
    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)
    /// The same with the type that Core Location's method has. Called if the method above is left out.
    func locationManager(_ manager: LocationManager, didFailWithError error: any Error)
    /// Positions pause, because the machine does not move.
    func locationManagerDidPauseLocationUpdates(_ manager: LocationManager)
    /// Positions come again after a pause.
    func locationManagerDidResumeLocationUpdates(_ manager: LocationManager)
    /// A stay has lasted five minutes, or has ended.
    func locationManager(_ manager: LocationManager, didVisit visit: Visit)
    /// The machine points in another direction.
    func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading)
    /// The daemon has stored a region, and monitors it.
    func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion)
    /// The machine has come into a region.
    func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion)
    /// The machine has left a region.
    func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion)
    /// Whether the machine is in a region: after `requestState(for:)`, when it is first known, and after each crossing.
    func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion)
    /// A region cannot be monitored; nil where the error is about all regions.
    func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError)
    /// The same with the type that Core Location's method has. Called if the method above is left out.
    func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error)
}

extension LocationManagerDelegate {
    /// Does nothing.
    public func locationManagerDidChangeAuthorization(_ manager: LocationManager) {}
    /// Does nothing.
    public func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Position]) {}
    /// Calls the method with `any Error`.
    public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
        locationManager(manager, didFailWithError: error as any Error)
    }
    /// Does nothing.
    public func locationManager(_ manager: LocationManager, didFailWithError error: any Error) {}
    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {}
    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {}
    /// Does nothing.
    public func locationManager(_ manager: LocationManager, didVisit visit: Visit) {}
    /// Does nothing.
    public func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {}
    /// Does nothing.
    public func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {}
    /// Does nothing.
    public func locationManager(
        _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
    ) {}
    /// Calls the method with `any Error`.
    public func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError
    ) {
        locationManager(manager, monitoringDidFailFor: region, withError: error as any Error)
    }
    /// Does nothing.
    public func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error
    ) {}
}
