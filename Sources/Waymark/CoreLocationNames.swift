import Interfaces
import Location

// Core Location's names that differ in Waymark: the compiler's error names the replacement.

/// `WaymarkClient`.
@available(*, unavailable, renamed: "WaymarkClient")
public typealias CLLocationManager = WaymarkClient
/// `Position`.
@available(*, unavailable, renamed: "Position")
public typealias CLLocation = Position
/// `Coordinate`.
@available(*, unavailable, renamed: "Coordinate")
public typealias CLLocationCoordinate2D = Coordinate
/// `AuthorizationStatus`.
@available(*, unavailable, renamed: "AuthorizationStatus")
public typealias CLAuthorizationStatus = AuthorizationStatus
/// `AccuracyAuthorization`.
@available(*, unavailable, renamed: "AccuracyAuthorization")
public typealias CLAccuracyAuthorization = AccuracyAuthorization
/// `LocationUpdate`, from `WaymarkClient.updates(_:)`.
@available(*, unavailable, message: "updates are LocationUpdate, from WaymarkClient().updates()")
public typealias CLLocationUpdate = LocationUpdate
/// `BackgroundActivitySession`.
@available(*, unavailable, renamed: "BackgroundActivitySession")
public typealias CLBackgroundActivitySession = BackgroundActivitySession
/// `Visit`, from `WaymarkClient.visits(since:)`.
@available(*, unavailable, renamed: "Visit")
public typealias CLVisit = Visit
/// `Heading`, from `WaymarkClient.headings(filter:)`.
@available(*, unavailable, renamed: "Heading")
public typealias CLHeading = Heading
/// `LocationMonitor`, from `WaymarkClient.monitor(_:)`.
@available(*, unavailable, renamed: "LocationMonitor")
public typealias CLMonitor = LocationMonitor
/// `LocationMonitor.Condition`.
@available(*, unavailable, renamed: "LocationMonitor.Condition")
public typealias CLCondition = LocationMonitor.Condition
/// `LocationMonitor.Condition`.
@available(*, unavailable, message: "`.circle(center:radius:)`, which a LocationMonitor adds")
public typealias CLCircularRegion = LocationMonitor.Condition
/// The requests of `WaymarkClient`.
@available(
    *, unavailable,
    message: "an app asks with WaymarkClient.requestWhenInUseAuthorization() or requestAlwaysAuthorization()"
)
public typealias CLServiceSession = WaymarkClient

extension WaymarkClient {
    /// `authorization()`.
    @available(*, unavailable, message: "`try await authorization().status`")
    public var authorizationStatus: AuthorizationStatus { .notDetermined }
    /// `authorization()`.
    @available(*, unavailable, message: "`try await authorization().accuracy`")
    public var accuracyAuthorization: AccuracyAuthorization { .reduced }
    /// `position(_:)`.
    @available(*, unavailable, message: "`try await position()`, or updates() for positions as they come")
    public var location: Position? { nil }
    /// `MonitorRequest.distanceFilter`.
    @available(*, unavailable, message: "a parameter of a request: updates(MonitorRequest(distanceFilter: 10))")
    public var distanceFilter: Double { 0 }
    /// `MonitorRequest.desiredAccuracy`.
    @available(*, unavailable, message: "a parameter of a request: updates(MonitorRequest(desiredAccuracy: 10))")
    public var desiredAccuracy: Double { 0 }
    /// `updates(_:)`.
    @available(*, unavailable, renamed: "updates(_:)")
    public func startUpdatingLocation() {}
    /// The end of the loop over `updates(_:)`.
    @available(*, unavailable, message: "updates end when the loop over updates() or its task ends")
    public func stopUpdatingLocation() {}
    /// `updates(_:)`.
    @available(*, unavailable, renamed: "updates(_:)")
    public func liveUpdates() {}
    /// `position(_:)`.
    @available(*, unavailable, renamed: "position(_:)")
    public func requestLocation() {}
    /// `visits(since:)`.
    @available(*, unavailable, message: "visits are a loop over visits()")
    public func startMonitoringVisits() {}
    /// The end of the loop over `visits(since:)`.
    @available(*, unavailable, message: "visits end when the loop over visits() or its task ends")
    public func stopMonitoringVisits() {}
    /// `headings(filter:)`.
    @available(*, unavailable, message: "headings are a loop over headings()")
    public func startUpdatingHeading() {}
    /// The end of the loop over `headings(filter:)`.
    @available(*, unavailable, message: "headings end when the loop over headings() or its task ends")
    public func stopUpdatingHeading() {}
    /// `headings(filter:)`.
    @available(*, unavailable, message: "a parameter of a sequence: headings(filter: 5)")
    public var headingFilter: Double { 1 }
    /// `MonitorRequest.significantChanges`.
    @available(
        *, unavailable, message: "a parameter of a request: updates(MonitorRequest(significantChanges: true))"
    )
    public func startMonitoringSignificantLocationChanges() {}
    /// `MonitorRequest.maximumDelay`.
    @available(*, unavailable, message: "a parameter of a request: updates(MonitorRequest(maximumDelay: 60))")
    public func allowDeferredLocationUpdates(untilTraveled distance: Double, timeout: Double) {}
    /// `MonitorRequest.pausesAutomatically`.
    @available(*, unavailable, message: "a parameter of a request: updates(MonitorRequest(pausesAutomatically: true))")
    public var pausesLocationUpdatesAutomatically: Bool { false }
    /// `requestTemporaryFullAccuracyAuthorization(purposeKey:)`.
    @available(*, unavailable, renamed: "requestTemporaryFullAccuracyAuthorization(purposeKey:)")
    public func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) {}
    /// `LocationMonitor.add(_:identifier:assuming:)`.
    @available(*, unavailable, message: "`try await monitor(\"name\").add(condition, identifier: \"region\")`")
    public func startMonitoring(for region: LocationMonitor.Condition) {}
    /// `LocationMonitor.remove(_:)`.
    @available(*, unavailable, message: "`try await monitor(\"name\").remove(\"region\")`")
    public func stopMonitoring(for region: LocationMonitor.Condition) {}
    /// `LocationMonitor.record(for:)`.
    @available(*, unavailable, message: "`try await monitor(\"name\").record(for: \"region\")?.state`")
    public func requestState(for region: LocationMonitor.Condition) {}
    /// `LocationMonitor.identifiers`.
    @available(*, unavailable, message: "`try await monitor(\"name\").identifiers`")
    public var monitoredRegions: Set<String> { [] }
}

extension LocationMonitor {
    /// `Condition.circle(center:radius:)`.
    @available(*, unavailable, message: "`.circle(center:radius:)`")
    public typealias CircularGeographicCondition = Condition
}

extension LocationMonitor.Record {
    /// `state`, `reason` and `since`.
    @available(*, unavailable, message: "a record has the state, its reason and since when; events come from events")
    public var lastEvent: LocationMonitor.Event? { nil }
}
