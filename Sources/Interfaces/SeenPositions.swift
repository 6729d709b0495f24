import JSONText
import Varlink

/// How many positions an app, or an operator, received within an hour: the details of an event `positionsSeen`.
///
/// Counts only. An event without an app is about an operator whose program is no app.
public struct SeenPositions: Equatable, Sendable {
    /// The beginning of the hour, in seconds since 1970; the event itself is written at its end.
    public var since: Double
    /// Full positions while the app was in use.
    public var fullInUse = 0
    /// Full positions while it was not.
    public var fullInBackground = 0
    /// Reduced positions while the app was in use.
    public var reducedInUse = 0
    /// Reduced positions while it was not.
    public var reducedInBackground = 0
    /// Whether an operator received them, who needs no decision.
    public var isOperator = false

    /// No position yet in the hour that began then.
    public init(since: Double) { self.since = since }

    /// All positions together.
    public var total: Int { full + reduced }
    /// Full positions.
    public var full: Int { fullInUse + fullInBackground }
    /// Reduced positions.
    public var reduced: Int { reducedInUse + reducedInBackground }
    /// Positions while the app was not in use.
    public var inBackground: Int { fullInBackground + reducedInBackground }

    /// The event's counts by their names in the details, without those that are 0.
    public var counts: [(name: String, count: Int)] {
        [
            ("fullInUse", fullInUse), ("fullInBackground", fullInBackground), ("reducedInUse", reducedInUse),
            ("reducedInBackground", reducedInBackground),
        ].filter { $0.1 > 0 }
    }

    /// Reads the details of an event; nil for one of another kind. A missing count is 0; a missing `since` is the
    /// event's own time.
    public init?(_ event: JournalEntry) {
        guard event.kind == .positionsSeen else { return nil }
        let details = event.details
        self.init(since: details["since"]?.numberValue ?? event.time)
        // Far above a real count, and small enough that sums cannot overflow.
        func count(_ name: String) -> Int { Int(min(max(0, details[name]?.integerValue ?? 0), 1 << 40)) }
        fullInUse = count("fullInUse")
        fullInBackground = count("fullInBackground")
        reducedInUse = count("reducedInUse")
        reducedInBackground = count("reducedInBackground")
        isOperator = details["operator"]?.boolValue ?? (event.app == nil)
    }

    /// Adds the counts of another hour.
    public mutating func add(_ other: SeenPositions) {
        since = min(since, other.since)
        fullInUse += other.fullInUse
        fullInBackground += other.fullInBackground
        reducedInUse += other.reducedInUse
        reducedInBackground += other.reducedInBackground
    }
}
