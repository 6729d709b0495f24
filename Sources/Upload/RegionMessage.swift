import Location

/// A message about a region, which is sent beside positions.
public enum RegionMessage: Equatable, Sendable {
    /// Where a region is.
    case waypoint(Waypoint, queued: UTCTime)
    /// The machine has entered or left a region.
    case transition(Transition)

    /// The time since which it is pending.
    var since: UTCTime {
        switch self {
        case .waypoint(_, let queued): queued
        case .transition(let transition): transition.time
        }
    }

    /// A text that identifies the message at the destination: the same for each repetition, and another one for any other
    /// message of this recording.
    var key: String {
        switch self {
        case .waypoint(let waypoint, let queued): "waypoint-\(waypoint.created)-\(queued.microseconds)"
        case .transition(let transition): "event-\(transition.sequence)-\(transition.time.microseconds)"
        }
    }
}

/// The machine has entered or left a region.
public struct Transition: Equatable, Sendable {
    /// The direction, with OwnTracks' word.
    public enum Direction: String, Sendable {
        case enter, leave
    }

    /// The number of the daemon's event from which it follows.
    public var sequence: Int64
    /// The direction.
    public var direction: Direction
    /// The region.
    public var waypoint: Waypoint
    /// The time of the fix that decided.
    public var time: UTCTime
    /// The position of that fix.
    public var place: BorderEvent.Place

    /// A transition of these parts.
    public init(
        sequence: Int64, direction: Direction, waypoint: Waypoint, time: UTCTime, place: BorderEvent.Place
    ) {
        (self.sequence, self.direction, self.waypoint) = (sequence, direction, waypoint)
        (self.time, self.place) = (time, place)
    }
}
