import Location

/// Why it is not known whether the machine is in a region.
public enum RegionDoubt: String, CaseIterable, Sendable {
    /// No fix has decided since the region was added or the monitor was started.
    case undetermined
    /// Fixes arrive, but for a long time none was accurate enough to decide.
    case insufficientAccuracy
    /// The receiver delivers no fix any more.
    case fixLost
    /// There is no receiver, or gpsd cannot be reached.
    case receiverLost
    /// The app is not allowed to know.
    case unauthorized
}

/// Whether the machine is in a region.
public enum RegionState: Equatable, Sendable {
    /// It is not known, for this reason.
    case unknown(RegionDoubt)
    /// The machine is in the region.
    case inside
    /// The machine is not in the region.
    case outside

    /// Whether it is known whether the machine is in the region.
    public var isKnown: Bool { if case .unknown = self { false } else { true } }
}

/// The place of the fix that decided an event.
public struct EventPlace: Equatable, Sendable {
    /// Where the fix says that the machine was.
    public var coordinate: Coordinate
    /// Metres, the 68 % radius of the fix.
    public var horizontalAccuracy: Double

    /// A place of these parts.
    public init(_ coordinate: Coordinate, horizontalAccuracy: Double) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
    }
}

/// Something that happened at a region.
public struct RegionEvent: Equatable, Sendable {
    /// What happened.
    public enum Kind: Equatable, Sendable {
        /// The first decision after the state was unknown.
        case determined(RegionState)
        /// The machine came in. Delayed by the region's dwell time, if it has one.
        case entered
        /// The machine went out.
        case left
        /// The machine has been in the region for its loitering time.
        case loitered
        /// It is not known any more whether the machine is in the region.
        case unknown(RegionDoubt)
    }

    /// The number of the region.
    public var region: Int64
    /// What happened.
    public var kind: Kind
    /// The time of the fix that decided, or when a state became unknown.
    public var time: UTCTime
    /// When the border was crossed, interpolated between the fixes before and after it. Nil where these are more than
    /// `RegionMonitor.Rules.longestGap` apart, and for an event without a crossing.
    public var crossed: UTCTime?
    /// Whether the machine drove through the region, or across a gap in it, between two fixes, none of which shows it.
    public var passedThrough: Bool
    /// The place of the fix that decided; nil for `unknown`, which no fix decides.
    public var place: EventPlace?

    /// An event.
    public init(
        region: Int64, kind: Kind, time: UTCTime, crossed: UTCTime? = nil, passedThrough: Bool = false,
        place: EventPlace? = nil
    ) {
        self.region = region
        self.kind = kind
        self.time = time
        self.crossed = crossed
        self.passedThrough = passedThrough
        self.place = place
    }
}
