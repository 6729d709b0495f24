import Interfaces
import Location
import Synchronization

/// A named set of regions of this app, whose borders the daemon watches, in the manner of Core Location's `CLMonitor`.
///
///     let monitor = try await WaymarkClient().monitor("home")
///     try await monitor.add(.circle(center: yard, radius: 80), identifier: "yard")
///     for try await event in monitor.events {
///         if event.state == .satisfied { … }
///         try await monitor.acknowledge(event)
///     }
///
/// The daemon stores the monitor, its regions and events that were not acknowledged, and watches the regions also while the
/// app does not run, if the app may have positions then. Events need full accuracy; regions can be added before the app is
/// authorized. None of these calls blocks a thread of the caller's. Each throws a `WaymarkError`, or `CancellationError` if
/// its task is cancelled.
public final class LocationMonitor: Sendable {
    /// A part of the Earth's surface. The daemon validates it when it is added.
    public enum Condition: Equatable, Sendable {
        /// All within the radius of a centre: 1 m to 5,000 km.
        case circle(center: Coordinate, radius: Double)
        /// All within the first ring, but not within the others.
        case polygon(rings: [[Coordinate]])
        /// All within half of a width, 1 m to 1,000 km, of a line: a route that should not be left.
        case corridor(along: [Coordinate], halfWidth: Double)
    }

    /// Whether a condition is satisfied: Core Location's words.
    public enum State: Sendable {
        /// The machine is in the region.
        case satisfied
        /// It is not.
        case unsatisfied
        /// This is not known.
        case unknown
    }

    let client: WaymarkClient
    /// The app's own name for the monitor: letters, digits, dots, underscores and hyphens.
    public let name: String
    /// The assumed states of regions about which no event has come since.
    private let assumptions = Mutex<[String: State]>([:])

    init(client: WaymarkClient, name: String) {
        self.client = client
        self.name = name
    }

    /// Adds a region, or replaces the one with this identifier. Returns when that is durable.
    ///
    /// - Parameters:
    ///   - condition: Where it is.
    ///   - identifier: The app's own name for it: 1 to 128 bytes.
    ///   - state: What the app assumes. If the first decision confirms it, `events` of this object does not report that
    ///     decision. The assumption is not stored: after a restart of the app the decision is reported.
    ///   - dwell: How long a stay has to last until it is reported.
    ///   - loitering: How long a stay has to last until it is reported once more, with the kind `loitered`; nil for never.
    /// - Throws: `.failed` with `InvalidRegion`, `InvalidIdentifier`, `TooManyRegions`, `TooManyMonitors` or
    ///   `RegionsUnavailable`, and a sentence; with `ProtectedDataUnavailable` while the data is locked, see
    ///   `WaymarkError.isProtectedDataUnavailable`.
    public func add(
        _ condition: Condition, identifier: String, assuming state: State = .unknown, dwell: Duration = .zero,
        loitering: Duration? = nil
    ) async throws {
        let region = RegionsInterface.Region(
            condition, identifier: identifier, dwell: dwell == .zero ? nil : dwell / .seconds(1),
            loitering: loitering.map { $0 / .seconds(1) })
        let request = RegionsInterface.Add(monitor: name, regions: [region])
        assumptions.withLock { $0[identifier] = state == .unknown ? nil : state }
        _ = try await client.reply(to: request, more: false)
    }

    /// Adds up to 1,000 regions, all or none of them. Returns when that is durable.
    public func add(_ conditions: [String: Condition]) async throws {
        let regions = conditions.sorted { $0.key < $1.key }.map { identifier, condition in
            RegionsInterface.Region(condition, identifier: identifier, dwell: nil, loitering: nil)
        }
        let request = RegionsInterface.Add(monitor: name, regions: regions)
        assumptions.withLock { assumed in
            for identifier in conditions.keys { assumed[identifier] = nil }
        }
        _ = try await client.reply(to: request, more: false)
    }

    /// Removes a region; without effect if there is none with this identifier. Returns when that is durable.
    public func remove(_ identifier: String) async throws {
        try await remove(RegionsInterface.Remove(monitor: name, identifiers: [identifier]))
    }

    /// Removes the monitor with all its regions and events.
    public func removeAll() async throws { try await remove(RegionsInterface.Remove(monitor: name)) }

    private func remove(_ request: RegionsInterface.Remove) async throws {
        assumptions.withLock { assumed in
            guard let identifiers = request.identifiers else { return assumed = [:] }
            for identifier in identifiers { assumed[identifier] = nil }
        }
        do {
            _ = try await client.reply(to: request, more: false)
        } catch let error as WaymarkError where error.isMissingMonitor {
            return
        }
    }

    /// The identifiers of all regions, in their order.
    public var identifiers: [String] {
        get async throws {
            var identifiers: [String] = []
            var request = RegionsInterface.Show(monitor: name, limit: 1_000)
            while let page = try await page(request) {
                identifiers += page.regions.map(\.region.identifier)
                guard !page.isComplete, let last = identifiers.last else { break }
                request.after = last
            }
            return identifiers
        }
    }

    /// A region, and what is known about it; nil if there is none with this identifier.
    public func record(for identifier: String) async throws -> Record? {
        let request = RegionsInterface.Show(monitor: name, identifiers: [identifier])
        return try await page(request)?.regions.first.flatMap { Record($0) }
    }

    /// Whether the regions are monitored at present, or why not, and the number of pending events; nil if nothing was
    /// added to the monitor yet.
    public func status() async throws -> RegionsInterface.MonitorSummary? {
        try await client.monitors().first { $0.name == name }
    }

    /// A page of regions; nil if nothing was added to the monitor yet.
    private func page(_ request: RegionsInterface.Show) async throws -> RegionsInterface.Show.Reply? {
        do {
            return try await client.reply(to: request, more: false)
        } catch let error as WaymarkError where error.isMissingMonitor {
            return nil
        }
    }

    /// What happened since the last acknowledgement, and what happens from now on. The monitor needs a region first.
    public var events: Events { Events(monitor: self, after: nil) }

    /// The stored events with greater numbers than this one, whether acknowledged or not as long as they are stored, and
    /// what happens from now on.
    public func events(after sequence: Int64) -> Events { Events(monitor: self, after: sequence) }

    /// Acknowledges an event and all before it, which the daemon then removes. Returns when that is durable.
    public func acknowledge(_ event: Event) async throws {
        _ = try await client.reply(
            to: RegionsInterface.Acknowledge(monitor: name, upTo: event.sequence), more: false)
    }

    /// Whether an event only confirms what the app has assumed. An event ends the assumption about its region.
    func isAssumed(_ event: Event) -> Bool {
        guard let identifier = event.identifier else { return false }
        let assumed = assumptions.withLock { $0.removeValue(forKey: identifier) }
        return event.kind == .determined && assumed == event.state
    }
}

extension LocationMonitor {
    /// A region, and what is known about it.
    public struct Record: Equatable, Sendable {
        /// The app's own name for it.
        public var identifier: String
        /// Where it is.
        public var condition: Condition
        /// Whether the machine is in the region.
        public var state: State
        /// Why the state is unknown.
        public var reason: RegionsInterface.Doubt?
        /// The time of the fix that decided, or when the state became unknown.
        public var since: UTCTime?
        /// Seconds that a stay has to last until it is reported.
        public var dwell: Double
        /// Seconds of a stay after which it is reported once more.
        public var loitering: Double?

        /// Nil for a region of a shape that this release does not know.
        init?(_ known: RegionsInterface.KnownRegion) {
            guard let condition = Condition(known.region) else { return nil }
            self.condition = condition
            identifier = known.region.identifier
            state = State(known.state)
            reason = known.reason
            since = known.since.flatMap { UTCTime(secondsSinceEpoch: $0) }
            dwell = known.region.dwell ?? 0
            loitering = known.region.loitering
        }
    }
}

extension LocationMonitor.State {
    init(_ state: RegionsInterface.State?) {
        self =
            switch state {
            case .inside: .satisfied
            case .outside: .unsatisfied
            default: .unknown
            }
    }
}

extension LocationMonitor.Condition {
    init?(_ region: RegionsInterface.Region) {
        func line(_ points: [RegionsInterface.Point]) -> [Coordinate] {
            points.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
        }
        if let circle = region.circle {
            guard let center = Coordinate(latitude: circle.latitude, longitude: circle.longitude) else { return nil }
            self = .circle(center: center, radius: circle.radius)
        } else if let polygon = region.polygon {
            self = .polygon(rings: polygon.rings.map { line($0.points) })
        } else if let corridor = region.corridor {
            self = .corridor(along: line(corridor.points), halfWidth: corridor.halfWidth)
        } else {
            return nil
        }
    }
}

extension RegionsInterface.Region {
    init(
        _ condition: LocationMonitor.Condition, identifier: String, dwell: Double?, loitering: Double?
    ) {
        func points(_ line: [Coordinate]) -> [RegionsInterface.Point] {
            line.map { RegionsInterface.Point(latitude: $0.latitude, longitude: $0.longitude) }
        }
        self.init(identifier: identifier, dwell: dwell, loitering: loitering)
        switch condition {
        case .circle(let center, let radius):
            circle = RegionsInterface.Circle(
                latitude: center.latitude, longitude: center.longitude, radius: radius)
        case .polygon(let rings):
            polygon = RegionsInterface.Polygon(rings: rings.map { RegionsInterface.Ring(points: points($0)) })
        case .corridor(let line, let halfWidth):
            corridor = RegionsInterface.Corridor(points: points(line), halfWidth: halfWidth)
        }
    }
}

extension WaymarkError {
    /// Whether nothing was added to the monitor yet.
    fileprivate var isMissingMonitor: Bool {
        if case .failed(ErrorName.regionsNoSuchMonitor.rawValue, _, _) = self { return true }
        return false
    }
}

extension WaymarkClient {
    /// The app's monitor with this name. The daemon stores it when the first region is added. While the data is locked, its
    /// events come when somebody unlocks it.
    ///
    /// - Throws: `.refused` with `regionsNotAllowed` if the program is no app, and `.notRunning`; so that a loop over the
    ///   events begins only where there is a daemon.
    public func monitor(_ name: String) async throws -> LocationMonitor {
        do {
            _ = try await monitors()
        } catch let error as WaymarkError where error.isProtectedDataUnavailable {}
        return LocationMonitor(client: self, name: name)
    }

    /// The app's monitors. An operator's program that is no app receives those of everybody.
    public func monitors() async throws -> [RegionsInterface.MonitorSummary] {
        try await reply(to: RegionsInterface.List(), more: false).monitors
    }
}
