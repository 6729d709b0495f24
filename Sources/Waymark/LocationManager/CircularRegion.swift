import Location

/// A circle around a place, with the app's own name for it: the equivalent of Core Location's `CLCircularRegion`.
///
///     let yard = CircularRegion(center: place, radius: 80, identifier: "yard")
///     manager.startMonitoring(for: yard)
///
/// `LocationMonitor` has polygons, corridors and stays as well.
public struct CircularRegion: Hashable, Sendable {
    /// The centre.
    public var center: Coordinate
    /// Metres from 1 to `LocationManager.maximumRegionMonitoringDistance`.
    public var radius: Double
    /// The app's own name for it: 1 to 128 bytes.
    public var identifier: String
    /// Whether the delegate is notified of arrivals. Not stored: true again after a restart of the app.
    public var notifyOnEntry = true
    /// Whether the delegate is notified of departures. Not stored: true again after a restart of the app.
    public var notifyOnExit = true

    /// A circle.
    public init(center: Coordinate, radius: Double, identifier: String) {
        self.center = center
        self.radius = radius
        self.identifier = identifier
    }

    /// Whether a place is within the circle, on a sphere: `LocationMonitor` measures on the ellipsoid.
    public func contains(_ coordinate: Coordinate) -> Bool { center.distance(to: coordinate) <= radius }
}

/// Whether the machine is in a region: the equivalent of Core Location's `CLRegionState`.
public enum RegionState: Sendable {
    /// This is not known.
    case unknown
    /// It is.
    case inside
    /// It is not.
    case outside

    init(_ state: LocationMonitor.State) {
        self =
            switch state {
            case .satisfied: .inside
            case .unsatisfied: .outside
            case .unknown: .unknown
            }
    }
}
