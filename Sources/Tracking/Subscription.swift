import Location

/// Selects the fixes for one client, by its options and the fix that it got last.
public struct Subscription: Equatable, Sendable {
    /// The decision about a fix.
    public enum Decision: String, Equatable, Sendable {
        /// Deliver it to the client.
        case deliver
        /// The interval since the last one has not passed.
        case tooSoon
        /// It is not far enough from the last one.
        case tooNear
        /// It is less accurate than requested, and a better one may follow.
        case tooInexact
    }

    /// Metres at 68 %; a less accurate fix is withheld, but not for longer than the patience.
    public var desiredAccuracy: Double?
    /// The least distance in metres from the last delivered fix.
    public var distanceFilter: Double?
    /// The least seconds since the last delivered fix.
    public var interval: Double?
    /// Seconds after which the best available fix is sufficient.
    public var patience: Double

    /// A tenth of a second: the interval of a receiver is not always a whole second.
    static let tolerance = 0.1

    private var lastDelivered: Fix?
    private var heldSince: UTCTime?
    private var lastReduced: ReducedFix?

    /// A subscription without a delivered fix; options that are nil have no effect.
    public init(
        desiredAccuracy: Double? = nil, distanceFilter: Double? = nil, interval: Double? = nil, patience: Double = 10
    ) {
        self.desiredAccuracy = desiredAccuracy
        self.distanceFilter = distanceFilter
        self.interval = interval
        self.patience = patience
    }

    /// A subscription to significant changes: the first fix at once, then fixes that are 500 m or more from the last one
    /// delivered and at least 5 min after it.
    public static var significantChanges: Subscription { Subscription(distanceFilter: 500, interval: 300) }

    /// Decides whether the client gets this fix. Fixes are compared by the receiver's time, which does not depend on
    /// delays of delivery. A fix earlier than the last one, as after the restart of a replay, resets the subscription.
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

    /// When the interval since the last delivered fix has passed, in nanoseconds of CLOCK_MONOTONIC; 0 if none was delivered.
    public var dueAt: UInt64 { lastDelivered.map { $0.receivedAt + UInt64((interval ?? 0) * 1e9) } ?? 0 }

    /// Notes a fix that the client got although it was not due.
    public mutating func note(delivered fix: Fix) {
        lastDelivered = fix
        heldSince = nil
    }

    /// Decides whether a client with reduced accuracy gets this reduced fix: only by ticks and cells. The desired
    /// accuracy has no effect, because no more accurate position can follow. Fixes that the client got with full
    /// accuracy have no effect either.
    public mutating func decide(_ reduced: ReducedFix) -> Decision {
        if let last = lastReduced, reduced.tick >= last.tick {
            // The same position again, for example after the permission was withdrawn and granted again.
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
