import Interfaces
import Location

// Members of Core Location's `CLMonitor` that are spelled differently in Waymark, under their own names.

extension LocationMonitor {
    /// A circle: the equivalent of `CLMonitor.CircularGeographicCondition`, and the same as `Condition.circle`.
    public struct CircularGeographicCondition: Equatable, Sendable {
        /// The centre.
        public var center: Coordinate
        /// Metres from 1 to 5,000,000.
        public var radius: Double

        /// A circle around a centre.
        public init(center: Coordinate, radius: Double) {
            self.center = center
            self.radius = radius
        }
    }

    /// The app's monitor with this name, as `WaymarkClient.monitor(_:)` returns it: the equivalent of `CLMonitor(_:)`.
    ///
    /// - Throws: As `WaymarkClient.monitor(_:)`.
    public convenience init(_ name: String, client: WaymarkClient = WaymarkClient()) async throws {
        _ = try await client.monitors()
        self.init(client: client, name: name)
    }

    /// Adds a circle, or replaces the region with this identifier. Returns when that is durable, and throws as
    /// `add(_:identifier:assuming:dwell:loitering:)`.
    public func add(
        _ condition: CircularGeographicCondition, identifier: String, assuming state: State = .unknown
    ) async throws {
        try await add(
            .circle(center: condition.center, radius: condition.radius), identifier: identifier, assuming: state)
    }
}

extension LocationMonitor.Record {
    /// What was known last about a region: the equivalent of a record's `CLMonitor.Event`.
    public struct LastEvent: Equatable, Sendable {
        /// The identifier of the region.
        public var identifier: String
        /// Whether the machine is in the region.
        public var state: LocationMonitor.State
        /// Why the state is unknown.
        public var reason: RegionsInterface.Doubt?
        /// The time of the fix that decided, or when the state became unknown; nil before the first decision.
        public var date: UTCTime?
    }

    /// What was known last about the region.
    public var lastEvent: LastEvent {
        LastEvent(identifier: identifier, state: state, reason: reason, date: since)
    }
}
