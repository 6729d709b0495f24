// The examples of Delegates.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// A screen that shows what a manager reports.
@MainActor final class ManagerScreen: @MainActor LocationManagerDelegate {
    let manager = LocationManager()
    private(set) var lines: [String] = []

    /// Starts everything. Each part waits for authorization by itself.
    func start() {
        manager.delegate = self
        manager.desiredAccuracy = LocationAccuracy.nearestTenMeters
        manager.distanceFilter = LocationDistance.none
        manager.headingFilter = 5
        manager.requestAlwaysAuthorization()
        manager.startUpdatingLocation()
        manager.startUpdatingHeading()
        manager.startMonitoringVisits()
        manager.startMonitoringSignificantLocationChanges()
    }

    /// Stops everything, and requests one last position.
    func stop() {
        manager.stopUpdatingLocation()
        manager.stopUpdatingHeading()
        manager.stopMonitoringVisits()
        manager.stopMonitoringSignificantLocationChanges()
        manager.requestLocation()
    }

    /// A coarser position is enough for the weather.
    func saveEnergy(isNavigating: Bool) {
        manager.desiredAccuracy = isNavigating ? LocationAccuracy.bestForNavigation : LocationAccuracy.kilometer
        manager.distanceFilter = isNavigating ? LocationDistance.none : 500
        manager.activityType = isNavigating ? .automotiveNavigation : .other
        manager.pausesLocationUpdatesAutomatically = !isNavigating
        manager.allowsBackgroundLocationUpdates = isNavigating
    }

    /// How exact a position has to be for a feature.
    static func accuracy(of feature: String) -> Double {
        switch feature {
        case "weather": LocationAccuracy.threeKilometers
        case "shops": LocationAccuracy.hundredMeters
        default: LocationAccuracy.best
        }
    }

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
        lines.append("\(manager.authorizationStatus), \(manager.accuracyAuthorization)")
        if manager.authorization?.authorizationDeniedGlobally == true { lines.append("Location services are off.") }
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Position]) {
        lines.append("\(locations.count) positions, the last at \(manager.location?.timestamp ?? 0)")
    }

    func locationManager(_ manager: LocationManager, didUpdateHeading newHeading: Heading) {
        lines.append("\(manager.heading?.trueHeading ?? 0) degrees")
    }

    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
        lines.append("\(error) \(error.code.advice)")
    }
}

/// Rings a bell at a place.
@MainActor final class Bell: @MainActor LocationManagerDelegate {
    private let manager = LocationManager()
    private(set) var rings = 0

    /// Watches a place until the bell is removed, also while the app does not run.
    func watch(_ place: Coordinate) {
        manager.delegate = self
        var region = CircularRegion(center: place, radius: 150, identifier: "bell")
        region.notifyOnExit = false
        region.notifyOnEntry = true
        guard region.radius <= manager.maximumRegionMonitoringDistance else { return }
        if !manager.monitoredRegions.contains(region) { manager.startMonitoring(for: region) }
        manager.requestState(for: region)
    }

    /// No longer watches any place.
    func remove() {
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
    }

    func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) { rings += 1 }

    func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion) {
        switch state {
        case .inside: print("at \(region.identifier) already")
        case .outside: print("not at \(region.identifier) yet")
        case .unknown: print("waiting for a position")
        }
    }

    func locationManager(
        _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError
    ) {
        switch error.code {
        case .regionMonitoringDenied: print("The app may not monitor regions.")
        case .regionMonitoringFailure: print("\(region?.identifier ?? "A region") is no region, or one too many.")
        case .regionMonitoringSetupDelayed: print("The daemon cannot store regions at present.")
        default: print(error)
        }
    }
}
