import Interfaces
import Location

// Core Location's names that are spelled differently in Waymark: the compiler's error names the replacement.

/// `LocationManager`.
@available(*, unavailable, renamed: "LocationManager")
public typealias CLLocationManager = LocationManager
/// `LocationManagerDelegate`.
@available(*, unavailable, renamed: "LocationManagerDelegate")
public typealias CLLocationManagerDelegate = LocationManagerDelegate
/// `LocationError`.
@available(*, unavailable, renamed: "LocationError")
public typealias CLError = LocationError
/// `LocationUpdate`.
@available(*, unavailable, renamed: "LocationUpdate")
public typealias CLLocationUpdate = LocationUpdate
/// `ServiceSession`.
@available(*, unavailable, renamed: "ServiceSession")
public typealias CLServiceSession = ServiceSession
/// `BackgroundActivitySession`.
@available(*, unavailable, renamed: "BackgroundActivitySession")
public typealias CLBackgroundActivitySession = BackgroundActivitySession
/// `LocationMonitor`.
@available(*, unavailable, renamed: "LocationMonitor")
public typealias CLMonitor = LocationMonitor
/// `LocationMonitor.Condition`.
@available(*, unavailable, renamed: "LocationMonitor.Condition")
public typealias CLCondition = LocationMonitor.Condition
/// `CircularRegion`.
@available(*, unavailable, renamed: "CircularRegion")
public typealias CLCircularRegion = CircularRegion
/// `CircularRegion`, the only kind of region of a `LocationManager`.
@available(*, unavailable, renamed: "CircularRegion")
public typealias CLRegion = CircularRegion
/// `RegionState`.
@available(*, unavailable, renamed: "RegionState")
public typealias CLRegionState = RegionState
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
/// `ActivityType`.
@available(*, unavailable, renamed: "ActivityType")
public typealias CLActivityType = ActivityType
/// `Visit`.
@available(*, unavailable, renamed: "Visit")
public typealias CLVisit = Visit
/// `Heading`.
@available(*, unavailable, renamed: "Heading")
public typealias CLHeading = Heading
/// `Double`: degrees.
@available(*, unavailable, renamed: "Double")
public typealias CLLocationDegrees = Double
/// `Double`: metres.
@available(*, unavailable, renamed: "Double")
public typealias CLLocationDistance = Double
/// `Double`: metres.
@available(*, unavailable, renamed: "Double")
public typealias CLLocationAccuracy = Double
/// `Double`: metres a second.
@available(*, unavailable, renamed: "Double")
public typealias CLLocationSpeed = Double
/// `Double`: degrees from north.
@available(*, unavailable, renamed: "Double")
public typealias CLLocationDirection = Double
/// No equivalent.
@available(*, unavailable, message: "Waymark has no addresses: use the interface of a geocoder")
public struct CLGeocoder {
    /// No equivalent.
    public init() {}
}

/// `LocationAccuracy.best`.
@available(*, unavailable, renamed: "LocationAccuracy.best")
public let kCLLocationAccuracyBest = LocationAccuracy.best
/// `LocationAccuracy.bestForNavigation`.
@available(*, unavailable, renamed: "LocationAccuracy.bestForNavigation")
public let kCLLocationAccuracyBestForNavigation = LocationAccuracy.bestForNavigation
/// `LocationAccuracy.nearestTenMeters`.
@available(*, unavailable, renamed: "LocationAccuracy.nearestTenMeters")
public let kCLLocationAccuracyNearestTenMeters = LocationAccuracy.nearestTenMeters
/// `LocationAccuracy.hundredMeters`.
@available(*, unavailable, renamed: "LocationAccuracy.hundredMeters")
public let kCLLocationAccuracyHundredMeters = LocationAccuracy.hundredMeters
/// `LocationAccuracy.kilometer`.
@available(*, unavailable, renamed: "LocationAccuracy.kilometer")
public let kCLLocationAccuracyKilometer = LocationAccuracy.kilometer
/// `LocationAccuracy.threeKilometers`.
@available(*, unavailable, renamed: "LocationAccuracy.threeKilometers")
public let kCLLocationAccuracyThreeKilometers = LocationAccuracy.threeKilometers
/// `LocationDistance.none`.
@available(*, unavailable, renamed: "LocationDistance.none")
public let kCLDistanceFilterNone = LocationDistance.none

extension LocationManager {
    /// `MonitorRequest.maximumDelay`.
    @available(*, unavailable, message: "WaymarkClient().updates(MonitorRequest(maximumDelay: 60))")
    public func allowDeferredLocationUpdates(untilTraveled distance: Double, timeout: Double) {}
    /// `AppAuthorization.authorizationDeniedGlobally`.
    @available(*, unavailable, message: "`manager.authorization?.authorizationDeniedGlobally` says that they are off")
    public class func locationServicesEnabled() -> Bool { false }
    /// `authorizationStatus` of an instance.
    @available(*, unavailable, message: "it is a property of an instance: `manager.authorizationStatus`")
    public class func authorizationStatus() -> AuthorizationStatus { .notDetermined }
}

extension WaymarkClient {
    /// `position(_:)`.
    @available(*, unavailable, message: "`try await client.position()` returns one position")
    public func requestLocation() {}
    /// `updates(_:)`.
    @available(
        *, unavailable, message: "`for try await update in client.updates()` receives positions until it is left"
    )
    public func startUpdatingLocation() {}
    /// The end of the loop over `updates(_:)`.
    @available(
        *, unavailable, message: "positions end when the loop over `client.updates()` is left or its task cancelled"
    )
    public func stopUpdatingLocation() {}
    /// `authorization()`.
    @available(*, unavailable, message: "`try await client.authorization().status`")
    public var authorizationStatus: AuthorizationStatus { .notDetermined }
    /// `authorization()`.
    @available(*, unavailable, message: "`try await client.authorization().accuracy`")
    public var accuracyAuthorization: AccuracyAuthorization { .full }
}

extension LocationUpdate {
    /// `stationary`.
    @available(*, unavailable, renamed: "stationary")
    public var isStationary: Bool { stationary }
}

extension AccuracyAuthorization {
    /// The same as `full`, in Core Location's words.
    public static var fullAccuracy: AccuracyAuthorization { .full }
    /// The same as `reduced`, in Core Location's words.
    public static var reducedAccuracy: AccuracyAuthorization { .reduced }
}

extension Position {
    /// Metres to another position along a great circle, regardless of altitudes: the equivalent of
    /// `CLLocation.distance(from:)`.
    public func distance(from other: Position) -> Double { coordinate.distance(to: other.coordinate) }
    /// `Position(timestamp:coordinate:horizontalAccuracy:)`.
    @available(
        *, unavailable,
        message:
            "a point without a time and an accuracy is a Coordinate, which is nil out of range: Coordinate(latitude:longitude:)"
    )
    public init(latitude: Double, longitude: Double) {
        self.init(
            timestamp: 0, coordinate: Coordinate(clampedLatitude: latitude, clampedLongitude: longitude),
            horizontalAccuracy: 0)
    }
    /// `isSimulated`.
    @available(*, unavailable, message: "`position.isSimulated` says whether it comes from a simulator or a replay")
    public var sourceInformation: Bool { isSimulated }
    /// No equivalent.
    @available(*, unavailable, message: "receivers report no floor of a building")
    public var floor: Int? { nil }
}
