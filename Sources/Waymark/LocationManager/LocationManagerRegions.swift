import Interfaces
import Location

/// The decisions of a `LocationManager` about regions: what it changes in the daemon's monitor, and what it reports to its
/// delegate. The daemon stores the regions; the manager has a copy of those that are circles.
struct LocationManagerRegions {
    /// A change or a query of the monitor. They are performed one after another.
    enum Operation: Equatable, Sendable {
        /// Reads the regions that were stored before.
        case load
        case add(CircularRegion)
        case remove(String)
        case queryState(CircularRegion)
    }

    /// The result of an operation, or an event.
    enum Report: Sendable {
        case loaded([CircularRegion])
        case added(CircularRegion)
        case state(CircularRegion, LocationMonitor.State)
        case failed(CircularRegion?, WaymarkError)
        case event(LocationMonitor.Event)
    }

    /// A call of the delegate.
    enum Callback: Equatable {
        case started(CircularRegion)
        case entered(CircularRegion)
        case exited(CircularRegion)
        case determined(RegionState, CircularRegion)
        case failed(CircularRegion?, LocationError)
    }

    /// The monitor that has the regions of an app's managers.
    static let monitorName = "LocationManager"

    private(set) var monitored: [String: CircularRegion] = [:]
    /// The identifiers that this manager has changed, which are not replaced by what was stored before.
    private var changed: Set<String> = []

    /// Monitors a region, in place of the one with its identifier.
    mutating func start(_ region: CircularRegion) -> Operation {
        monitored[region.identifier] = region
        changed.insert(region.identifier)
        return .add(region)
    }

    /// No longer monitors a region.
    mutating func stop(_ region: CircularRegion) -> Operation {
        monitored[region.identifier] = nil
        changed.insert(region.identifier)
        return .remove(region.identifier)
    }

    /// Handles a result or an event.
    mutating func receive(_ report: Report) -> [Callback] {
        switch report {
        case .loaded(let regions):
            for region in regions where !changed.contains(region.identifier) { monitored[region.identifier] = region }
            return []
        case .added(let region): return [.started(region)]
        case .state(let region, let state): return [.determined(RegionState(state), region)]
        case .failed(let region, let error):
            if let region, monitored[region.identifier] == region { monitored[region.identifier] = nil }
            return [.failed(region, LocationError(error, otherwise: .regionMonitoringFailure))]
        case .event(let event): return receive(event)
        }
    }

    private func receive(_ event: LocationMonitor.Event) -> [Callback] {
        if event.kind == .overflowed { return [.failed(nil, LocationError(.regionMonitoringFailure))] }
        guard let region = event.identifier.flatMap({ monitored[$0] }) else { return [] }
        let determined = Callback.determined(RegionState(event.state), region)
        switch event.kind {
        case .entered: return (region.notifyOnEntry ? [.entered(region)] : []) + [determined]
        case .left: return (region.notifyOnExit ? [.exited(region)] : []) + [determined]
        case .determined, .unknown: return [determined]
        default: return []
        }
    }
}
