import Location

/// Which fixes a client gets: what it asked for, and what it had last.
public struct Subscription: Equatable, Sendable {
    /// What becomes of a fix.
    public enum Decision: String, Equatable, Sendable {
        /// The client gets it.
        case deliver
        /// The interval is not over.
        case tooSoon
        /// It is not far enough from the last one.
        case tooNear
        /// It is less exact than was asked for, and a better one may come.
        case tooInexact
    }

    /// Metres of 68 %; a fix that is less exact is held back, but not for longer than the patience.
    public var desiredAccuracy: Double?
    /// Metres from the last one delivered.
    public var distanceFilter: Double?
    /// Seconds from the last one delivered.
    public var interval: Double?
    /// Seconds after which the best there is will do.
    public var patience: Double

    /// A tenth of a second: a receiver's second is not always a whole one.
    static let tolerance = 0.1

    private var lastDelivered: Fix?
    private var heldSince: UTCTime?
    private var lastReduced: ReducedFix?

    /// A subscription that has had nothing; what is left out is not asked for.
    public init(
        desiredAccuracy: Double? = nil, distanceFilter: Double? = nil, interval: Double? = nil, patience: Double = 10
    ) {
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.interval = interval
        self.patience = patience
    }

    /// Whether the client gets this fix. Fixes are compared by the receiver's time, which no delay on the way disturbs;
    /// one that is earlier than the last, as when a replay starts again, starts the subscription again as well.
    public mutating func decide(_ fix: Fix) -> Decision {
        if let last = lastDelivered, fix.time < last.time {
            lastDelivered = nil
            heldSince = nil
        }
        if let last = lastDelivered {
            if let interval, fix.time.seconds(since: last.time) < interval - min(Self.tolerance, interval / 10) {
                return .tooSoon
            }
            if let distanceFilter, fix.coordinate.distance(to: last.coordinate) < distanceFilter { return .tooNear }
        }
        if let desiredAccuracy, fix.horizontalAccuracy > desiredAccuracy {
            let since = heldSince ?? fix.time
            heldSince = since
            if fix.time.seconds(since: since) < patience { return .tooInexact }
        } else {
            heldSince = nil
        }
        lastDelivered = fix
        return .deliver
    }

    /// Whether a client with reduced accuracy gets this reduced fix: by ticks, by cells, and by nothing else. The accuracy
    /// asked for has no effect, as there is none better to wait for. What the client had with full accuracy has none
    /// either.
    public mutating func decide(_ reduced: ReducedFix) -> Decision {
        if let last = lastReduced, reduced.tick >= last.tick {
            // The same one again, as when the permission went and came back.
            if reduced == last { return .tooSoon }
            let seconds = reduced.tick.time.seconds(since: last.tick.time)
            if let interval, seconds < interval - min(Self.tolerance, interval / 10) { return .tooSoon }
            if let distanceFilter, reduced.cell.centre.distance(to: last.cell.centre) < distanceFilter {
                return .tooNear
            }
        }
        lastReduced = reduced
        return .deliver
    }
}
