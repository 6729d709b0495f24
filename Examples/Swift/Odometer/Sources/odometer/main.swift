import Glibc
import Waymark

/// Measures a walk: the distance so far at each position, the pauses, and the places where the walker stays.
@MainActor
final class Odometer: @MainActor LocationManagerDelegate {
    private let manager = LocationManager()
    private var last: Position?
    private var meters = 0.0
    private var pauses = 0

    init() {
        manager.delegate = self
        manager.desiredAccuracy = LocationAccuracy.hundredMeters
        manager.distanceFilter = 5
        manager.activityType = .fitness
        manager.pausesLocationUpdatesAutomatically = true
        manager.allowsBackgroundLocationUpdates = true
    }

    /// Begins the walk, and asks the person first if nobody has decided yet.
    func begin() {
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
        manager.startMonitoringVisits()
    }

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
        switch manager.authorizationStatus {
        case .notDetermined:
            show("Nobody has decided yet whether the walk may be measured.")
        case .authorizedWhenInUse, .authorizedAlways:
            show("The walk is measured.")
            if manager.accuracyAuthorization == .reducedAccuracy { requestFullAccuracy() }
        default:
            show("The walk cannot be measured: this app may not know where you are.")
        }
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Position]) {
        for location in locations {
            if let last { meters += location.distance(from: last) }
            last = location
            show("\(Int(meters)) m, accurate to \(Int(location.horizontalAccuracy)) m")
        }
    }

    func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {
        pauses += 1
        show("Pause \(pauses) after \(Int(meters)) m")
    }

    func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {
        show("The walk goes on.")
    }

    func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
        show(visit.departure == nil ? "A stay has begun." : "A stay has ended.")
    }

    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
        // A position that is not known yet comes later.
        if error.code == .locationUnknown { return }
        show("The walk cannot be measured at present: \(error)")
    }

    /// The distance of reduced positions, which are kilometres across, would mean nothing.
    private func requestFullAccuracy() {
        Task {
            do {
                try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Distance")
            } catch {
                show("The distance cannot be measured exactly: \(error)")
            }
        }
    }
}

/// Prints a line at once, also where the output is a pipe.
func show(_ line: String) {
    print(line)
    fflush(nil)
}

// The app counts as in use while it runs in a terminal.
let activity = ActivitySession(.active)
let odometer = Odometer()
odometer.begin()
// The main loop: until a signal ends the program.
while true { try await Task.sleep(for: .seconds(86_400)) }
