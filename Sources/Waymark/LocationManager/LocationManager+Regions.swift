import Location

// Regions in the manner of `CLLocationManager`.

extension LocationManager {
    /// The largest radius of a region, in metres.
    public var maximumRegionMonitoringDistance: Double { 5_000_000 }

    /// The regions that are monitored, also those that the app has started before it was restarted.
    ///
    /// They belong to the app, not to this manager. Empty until the daemon has reported them.
    public var monitoredRegions: Set<CircularRegion> { Set(regions.monitored.values) }

    /// Monitors a region also while the app does not run, until it is stopped.
    ///
    /// The delegate is notified with `didStartMonitoringFor` when the daemon has stored the region, and with
    /// `monitoringDidFailFor` if it cannot; while the data is locked, first with the latter, without a region, and later with
    /// the former. A region with the same identifier is replaced. The app needs full accuracy
    /// for events. Several managers of one app have the same regions; the events should be followed by one of them.
    public func startMonitoring(for region: CircularRegion) { perform(regions.start(region)) }

    /// No longer monitors the region with this identifier.
    public func stopMonitoring(for region: CircularRegion) { perform(regions.stop(region)) }

    /// Reports whether the machine is in a monitored region, with `didDetermineState`.
    public func requestState(for region: CircularRegion) { perform(.queryState(region)) }
}
