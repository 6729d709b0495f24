import Location
import Regions

/// An event of a monitor, which is stored until it is acknowledged.
public struct StoredRegionEvent: Equatable, Sendable {
    /// What happened.
    public enum Kind: Equatable, Sendable {
        /// The first decision after the state was unknown.
        case determined(RegionState)
        /// The machine came in.
        case entered
        /// The machine went out.
        case left
        /// The machine has been in the region for its loitering time.
        case loitered
        /// It is not known any more whether the machine is in the region.
        case unknown(RegionDoubt)
        /// Too many events were not acknowledged: the oldest ones were dropped.
        case overflowed
    }

    /// The number of the monitor.
    public let monitor: Int64
    /// 1, 2, 3 … in the monitor. That of an overflow is the number of the last event that was dropped.
    public let sequence: Int64
    /// The identifier of the region; nil for an overflow.
    public let identifier: String?
    /// What happened.
    public let kind: Kind
    /// The time of the fix that decided, or when the state became unknown.
    public let time: UTCTime
    /// When the border was crossed; nil where that is not known.
    public let crossed: UTCTime?
    /// Whether the machine passed through between two fixes.
    public let passedThrough: Bool
    /// Whether the fix came from a replay or a simulator.
    public let isSimulated: Bool
    /// The place of the fix that decided; nil for `unknown` and `overflowed`, and for events that a release before stored.
    public let place: EventPlace?
    /// Of an overflow: how many events after the requested one were dropped.
    public let lost: Int64?

    /// An event.
    public init(
        monitor: Int64, sequence: Int64, identifier: String?, kind: Kind, time: UTCTime, crossed: UTCTime? = nil,
        passedThrough: Bool = false, isSimulated: Bool = false, place: EventPlace? = nil, lost: Int64? = nil
    ) {
        self.monitor = monitor
        self.sequence = sequence
        self.identifier = identifier
        self.kind = kind
        self.time = time
        self.crossed = crossed
        self.passedThrough = passedThrough
        self.isSimulated = isSimulated
        self.place = place
        self.lost = lost
    }
}

extension StoredRegionEvent.Kind {
    /// The kind of a decision.
    init(_ kind: RegionEvent.Kind) {
        self =
            switch kind {
            case .determined(let state): .determined(state)
            case .entered: .entered
            case .left: .left
            case .loitered: .loitered
            case .unknown(let doubt): .unknown(doubt)
            }
    }
}

/// An event that is to be stored.
public struct NewRegionEvent: Equatable, Sendable {
    /// What happened, at a region of this number.
    public var event: RegionEvent
    /// Whether the fix came from a replay or a simulator.
    public var isSimulated: Bool

    /// An event.
    public init(_ event: RegionEvent, isSimulated: Bool) {
        (self.event, self.isSimulated) = (event, isSimulated)
    }
}
