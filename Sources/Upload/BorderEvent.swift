import Location

/// What the daemon reports about a region: an event of the uploader's monitor.
public struct BorderEvent: Equatable, Sendable {
    /// What happened, as far as it matters here.
    public enum Kind: Equatable, Sendable {
        /// The first decision after the state was unknown.
        case determined(isInside: Bool)
        /// The machine came in.
        case entered
        /// The machine went out.
        case left
        /// Anything else, of which OwnTracks has no message.
        case other
    }

    /// The position of the fix that decided.
    public struct Place: Equatable, Sendable {
        /// Where the machine was.
        public var coordinate: Coordinate
        /// Metres, the 68 % radius.
        public var horizontalAccuracy: Double

        /// A place of these parts.
        public init(_ coordinate: Coordinate, horizontalAccuracy: Double) {
            (self.coordinate, self.horizontalAccuracy) = (coordinate, horizontalAccuracy)
        }
    }

    /// The number of the event in the monitor.
    public var sequence: Int64
    /// The name of the region; nil where events were dropped.
    public var region: String?
    /// What happened.
    public var kind: Kind
    /// The time of the fix that decided.
    public var time: UTCTime
    /// Where the machine was; nil where that is not known.
    public var place: Place?

    /// An event of these parts.
    public init(sequence: Int64, region: String?, kind: Kind, time: UTCTime, place: Place?) {
        (self.sequence, self.region, self.kind, self.time, self.place) = (sequence, region, kind, time, place)
    }
}

/// On which side of a border the machine is known to be, and since when.
public struct KnownSide: Equatable, Sendable {
    /// Whether it is in the region.
    public var isInside: Bool
    /// The time of the fix that decided.
    public var since: UTCTime

    /// A side.
    public init(isInside: Bool, since: UTCTime) {
        (self.isInside, self.since) = (isInside, since)
    }
}
