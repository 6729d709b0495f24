import Interfaces
import Location

/// Positions, headings, visits and authorization for a delegate: the equivalent of Core Location's `CLLocationManager`,
/// with its names.
///
///     @MainActor final class Map: @MainActor LocationManagerDelegate {
///         let manager = LocationManager()
///         init() {
///             manager.delegate = self
///             manager.requestWhenInUseAuthorization()
///             manager.startUpdatingLocation()
///         }
///         func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Position]) { … }
///     }
///
/// A manager belongs to the actor on which it was made: its delegate is called there. What was started goes on until it is
/// stopped or the manager is released: it waits for authorization, and for a daemon that is unavailable. The app declares
/// with `ActivitySession` when it is in front. New code is shorter with `LocationUpdate.liveUpdates(_:)`, `LocationMonitor`
/// and `ServiceSession`.
public final class LocationManager {
    typealias Source = LocationManagerState.Source

    /// The receiver of the reports. Not retained.
    public weak var delegate: (any LocationManagerDelegate)?

    let client: WaymarkClient
    private let owner: any Actor
    private let reference = LocationManagerReference()
    private var state = LocationManagerState()
    private var tasks: [Source: Task<Void, Never>] = [:]
    private var backgroundSession: BackgroundActivitySession?
    var regions = LocationManagerRegions()
    private let regionWorker: RegionWorker

    /// A manager of the main actor, which begins with the app's authorization.
    @MainActor public convenience init() { self.init(client: WaymarkClient(), isolation: MainActor.shared) }

    /// A manager of the caller's actor, which begins with the app's authorization. Code without an actor cannot make one.
    public init(client: WaymarkClient, isolation: any Actor = #isolation) {
        self.client = client
        owner = isolation
        let reference = reference
        regionWorker = RegionWorker(client) { [weak isolation] report in
            if let isolation { await reference.receive(report, on: isolation) }
        }
        reference.manager = self
        perform(state.start(.authorization))
        perform(LocationManagerRegions.Operation.load)
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }

    // Authorization

    /// The app's authorization; `notDetermined` until the first `locationManagerDidChangeAuthorization(_:)`.
    public var authorizationStatus: AuthorizationStatus { state.authorization?.status ?? .notDetermined }

    /// The accuracy that the app may have; `reduced` until the first `locationManagerDidChangeAuthorization(_:)`.
    public var accuracyAuthorization: AccuracyAuthorization { state.authorization?.accuracy ?? .reduced }

    /// The authorization with the reasons for its limits; nil until the first `locationManagerDidChangeAuthorization(_:)`.
    public var authorization: AppAuthorization? { state.authorization }

    /// Asks the person for positions while the app is in use. If the app is not in use, the person is asked when it is. The
    /// decision is reported by `locationManagerDidChangeAuthorization(_:)`.
    public func requestWhenInUseAuthorization() { perform(state.start(.whenInUse)) }

    /// Asks the person for positions also while the app is not in use; otherwise as `requestWhenInUseAuthorization()`.
    public func requestAlwaysAuthorization() { perform(state.start(.always)) }

    /// Asks the person for full accuracy until the app is no longer in use, for the purpose with this key in the
    /// manifest's section `[TemporaryUsage]`. Returns when the person has answered.
    ///
    /// - Throws: A `LocationError` with the code `promptDeclined` if the manifest has no such key, or another prompt of the
    ///   app is shown; `CancellationError`.
    public nonisolated(nonsending) func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String
    ) async throws {
        do {
            _ = try await client.requestTemporaryFullAccuracyAuthorization(purposeKey: purposeKey)
        } catch let error as WaymarkError {
            throw LocationError(error, otherwise: .promptDeclined)
        }
    }

    // Positions

    /// The last position that was reported.
    public var location: Position? { state.location }

    /// Positions that are less accurate are not reported, in metres. `LocationAccuracy.best`, the initial value, for all.
    public var desiredAccuracy = LocationAccuracy.best { didSet { restartUpdates(oldValue != desiredAccuracy) } }

    /// The least distance from one reported position to the next, in metres. `LocationDistance.none`, the initial value,
    /// for all.
    public var distanceFilter = LocationDistance.none { didSet { restartUpdates(oldValue != distanceFilter) } }

    /// The app's kind of movement. It determines how long the machine has to be stationary before positions pause.
    public var activityType = ActivityType.other { didSet { restartUpdates(oldValue != activityType) } }

    /// Whether positions pause while the machine does not move. Initially true.
    public var pausesLocationUpdatesAutomatically = true {
        didSet { restartUpdates(oldValue != pausesLocationUpdatesAutomatically) }
    }

    /// Whether the app stays in use when it goes to the background while positions are updated. Initially false.
    ///
    /// The manager then holds a `BackgroundActivitySession`, which begins when the app is in use and is visible to the
    /// person.
    public var allowsBackgroundLocationUpdates: Bool {
        get { state.staysInUse }
        set { perform(state.stayInUse(newValue)) }
    }

    /// Starts to report positions. Properties that are changed later are in force at once.
    public func startUpdatingLocation() { perform(state.start(.location)) }

    /// Stops to report positions, and ends the wait of `requestLocation()`.
    public func stopUpdatingLocation() { perform(state.stop(.location) + state.stop(.singlePosition)) }

    /// Reports one position, or the error why there is none within 30 s. Without effect while an earlier call waits.
    public func requestLocation() { perform(state.start(.singlePosition)) }

    /// Starts to report a position when the machine has moved by about 500 m, at most every five minutes.
    public func startMonitoringSignificantLocationChanges() { perform(state.start(.significantChanges)) }

    /// Stops to report these positions.
    public func stopMonitoringSignificantLocationChanges() { perform(state.stop(.significantChanges)) }

    // Visits and headings

    /// Starts to report the places where the machine stays.
    public func startMonitoringVisits() { perform(state.start(.visits)) }

    /// Stops to report the places where the machine stays.
    public func stopMonitoringVisits() { perform(state.stop(.visits)) }

    /// The last direction that was reported.
    public var heading: Heading? { state.heading }

    /// The least change of the direction that is reported, in degrees. Initially 1.
    public var headingFilter = 1.0 {
        didSet { if oldValue != headingFilter { perform(state.restart(.heading)) } }
    }

    /// Starts to report the direction in which the machine points.
    public func startUpdatingHeading() { perform(state.start(.heading)) }

    /// Stops to report the direction in which the machine points.
    public func stopUpdatingHeading() { perform(state.stop(.heading)) }

    // Effects

    /// Handles what a feed reports, on the manager's actor.
    /// Returns whether the feed is the present one of its source; nothing is done otherwise.
    func receive(_ event: LocationManagerState.Event, from source: Source, feed: Int) -> Bool {
        guard state.isPresent(feed, of: source) else { return false }
        perform(state.receive(event, from: source, feed: feed))
        return true
    }

    /// Handles the result of an operation on regions, on the manager's actor.
    func receive(_ report: LocationManagerRegions.Report) {
        for callback in regions.receive(report) { self.report(callback) }
        // The monitor exists from its first region on.
        switch report {
        case .added: perform(state.start(.regions))
        case .loaded(let stored) where !stored.isEmpty: perform(state.start(.regions))
        default: break
        }
    }

    func perform(_ operation: LocationManagerRegions.Operation) {
        owner.preconditionIsolated("a LocationManager is used on the actor that made it")
        regionWorker.append(operation)
    }

    private func restartUpdates(_ isChanged: Bool) {
        if isChanged { perform(state.restart(.location)) }
    }

    private func perform(_ effects: [LocationManagerState.Effect]) {
        owner.preconditionIsolated("a LocationManager is used on the actor that made it")
        for effect in effects {
            switch effect {
            case .begin(let source, let number):
                tasks[source]?.cancel()
                tasks[source] = begin(
                    source, LocationManagerFeed(manager: reference, owner: owner, source: source, number: number))
            case .cancel(let source): tasks.removeValue(forKey: source)?.cancel()
            case .holdInUse: holdInUse()
            case .endHold:
                backgroundSession?.invalidate()
                backgroundSession = nil
            case .report(let callback): report(callback)
            }
        }
    }

    private func begin(_ source: Source, _ feed: LocationManagerFeed) -> Task<Void, Never> {
        let client = client
        switch source {
        case .authorization: return Task { await feed.forward(client.authorizations()) { .authorization($0) } }
        case .location:
            let request = MonitorRequest(
                desiredAccuracy: desiredAccuracy > 0 ? desiredAccuracy : nil,
                distanceFilter: distanceFilter > 0 ? distanceFilter : nil, activityType: activityType,
                pausesAutomatically: pausesLocationUpdatesAutomatically)
            return Task { await feed.forward(client.updates(request)) { .update($0) } }
        case .significantChanges:
            let request = MonitorRequest(significantChanges: true)
            return Task { await feed.forward(client.updates(request)) { .update($0) } }
        case .visits: return Task { await feed.forward(client.visits()) { .visit($0) } }
        case .heading:
            let filter = max(headingFilter, 0)
            return Task { await feed.forward(client.headings(filter: filter)) { .heading($0) } }
        case .regions:
            let monitor = LocationMonitor(client: client, name: LocationManagerRegions.monitorName)
            return Task {
                // An event that was not acknowledged comes again after a restart of the app.
                await feed.forward(monitor.events, onDelivery: monitor.acknowledge) { .region($0) }
            }
        case .singlePosition:
            let request = PositionRequest(desiredAccuracy: desiredAccuracy > 0 ? desiredAccuracy : nil)
            return Task { await feed.forward({ try await client.position(request) }, { .position($0) }) }
        case .whenInUse:
            return Task { await feed.forward({ try await client.requestWhenInUseAuthorization() }, { .answered($0) }) }
        case .always:
            return Task { await feed.forward({ try await client.requestAlwaysAuthorization() }, { .answered($0) }) }
        }
    }

    private func holdInUse() {
        if let backgroundSession {
            guard case .ended = backgroundSession.state else { return }
        }
        backgroundSession = BackgroundActivitySession(client: client)
    }

    private func report(_ callback: LocationManagerState.Callback) {
        guard let delegate else { return }
        switch callback {
        case .changedAuthorization: delegate.locationManagerDidChangeAuthorization(self)
        case .updated(let position): delegate.locationManager(self, didUpdateLocations: [position])
        case .visited(let visit): delegate.locationManager(self, didVisit: visit)
        case .turned(let heading): delegate.locationManager(self, didUpdateHeading: heading)
        case .crossed(let event): receive(.event(event))
        case .failed(let error): delegate.locationManager(self, didFailWithError: error)
        case .regionsFailed(let error): receive(.failed(nil, error))
        case .paused: delegate.locationManagerDidPauseLocationUpdates(self)
        case .resumed: delegate.locationManagerDidResumeLocationUpdates(self)
        }
    }

    private func report(_ callback: LocationManagerRegions.Callback) {
        guard let delegate else { return }
        switch callback {
        case .started(let region): delegate.locationManager(self, didStartMonitoringFor: region)
        case .entered(let region): delegate.locationManager(self, didEnterRegion: region)
        case .exited(let region): delegate.locationManager(self, didExitRegion: region)
        case .determined(let state, let region): delegate.locationManager(self, didDetermineState: state, for: region)
        case .failed(let region, let error):
            delegate.locationManager(self, monitoringDidFailFor: region, withError: error)
        }
    }
}
