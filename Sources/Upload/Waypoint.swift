import Location

/// A region of a destination, as OwnTracks' messages describe it.
public struct Waypoint: Equatable, Sendable {
    /// A circle on the map.
    public struct Circle: Equatable, Sendable {
        /// Its centre.
        public var center: Coordinate
        /// Its radius in metres.
        public var radius: Double

        /// A circle of these parts.
        public init(center: Coordinate, radius: Double) {
            (self.center, self.radius) = (center, radius)
        }
    }

    /// The name of the region, which is its identifier in the monitor.
    public var name: String
    /// Seconds since 1970: the time of its creation, by which OwnTracks identifies it.
    public var created: Int64
    /// The circle; nil for another shape, which a waypoint cannot describe.
    public var circle: Circle?

    /// A region of these parts.
    public init(name: String, created: Int64, circle: Circle?) {
        (self.name, self.created, self.circle) = (name, created, circle)
    }
}
