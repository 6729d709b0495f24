import Location

/// A stay at one place, or what may become one: what `VisitDetector` knows of it.
public struct Stay: Equatable, Sendable {
    /// The running mean of the fixes.
    public var centre: Coordinate
    /// Metres, 68 %, the running mean of the fixes' radii.
    public var accuracy: Double
    /// The time of the first fix here.
    public var first: UTCTime
    /// The time of the first fix here that was not on the move; nil before there is one.
    public var arrival: UTCTime?
    /// Whether the arrival was observed; otherwise the stay began earlier.
    public var isArrival: Bool
    /// The time of the latest fix here.
    public var lastInside: UTCTime
    /// The time of the latest fix here that was not on the move.
    public var lastStill: UTCTime
    /// Since when fixes are beyond the place; nil while they are not.
    public var beyondSince: UTCTime?
    /// The inverse squares of the fixes' radii, added up and bounded, 1/m².
    public var weight: Double
    /// Whether the stay was reported.
    public var isReported = false
    /// Whether it is of a replay or a simulator.
    public var isSimulated: Bool

    /// Metres a second from which a machine is on the move.
    static let onTheMove = 1.0
    /// Seconds without a fix after which the speed is no evidence of when the stay began or ended.
    static let longestGap = 60.0
    /// Seconds of fixes at one a second that have most of the weight.
    static let memory = 600.0

    init(at fix: Fix, isArrival: Bool) {
        centre = fix.coordinate
        accuracy = fix.horizontalAccuracy
        first = fix.time
        self.isArrival = isArrival
        lastInside = fix.time
        lastStill = fix.time
        weight = 1 / (fix.horizontalAccuracy * fix.horizontalAccuracy)
        isSimulated = fix.isSimulated
        note(fix)
    }

    /// A stay as it was stored.
    public init(
        centre: Coordinate, accuracy: Double, arrival: UTCTime?, first: UTCTime, lastInside: UTCTime,
        isSimulated: Bool
    ) {
        self.centre = centre
        self.accuracy = accuracy
        self.first = first
        self.arrival = arrival ?? first
        isArrival = arrival != nil
        self.lastInside = lastInside
        lastStill = lastInside
        weight = Self.memory / (accuracy * accuracy)
        isReported = true
        self.isSimulated = isSimulated
    }

    /// Seconds from the first fix that was not on the move to the latest fix here.
    var seconds: Double { arrival.map { lastInside.seconds(since: $0) } ?? 0 }

    /// The visit so far.
    public var visit: Visit {
        Visit(
            coordinate: centre, horizontalAccuracy: accuracy, arrival: isArrival ? arrival ?? first : nil,
            departure: nil, isSimulated: isSimulated)
    }

    /// The visit, once it has ended.
    func ended(at departure: UTCTime) -> Visit {
        var visit = visit
        visit.departure = departure
        return visit
    }

    /// Adds a fix at this place.
    mutating func add(_ fix: Fix) {
        let gained = 1 / (fix.horizontalAccuracy * fix.horizontalAccuracy)
        weight = min(weight + gained, Self.memory * gained)
        let distance = centre.distance(to: fix.coordinate)
        let share = min(1, 2 * fix.horizontalAccuracy / max(distance, 0.001)) * gained / weight
        centre = centre.moved(towards: fix.coordinate, by: share)
        accuracy += (fix.horizontalAccuracy - accuracy) * gained / weight
        if fix.time.seconds(since: lastInside) > Self.longestGap {
            // It was here all the time, whatever its speed is before and after.
            arrival = arrival ?? lastInside
            lastStill = fix.time
        }
        lastInside = fix.time
        beyondSince = nil
        isSimulated = isSimulated || fix.isSimulated
        note(fix)
    }

    private mutating func note(_ fix: Fix) {
        guard !MotionDetector.isFast(fix, above: Self.onTheMove, accuracies: 2) else { return }
        arrival = arrival ?? fix.time
        lastStill = fix.time
    }

    /// When the stay ended, if a fix elsewhere shows that it did.
    mutating func departure(by fix: Fix, distance: Double, challenger: Stay?) -> UTCTime? {
        guard hasEnded(by: fix, distance: distance, challenger: challenger) else { return nil }
        // If there were no fixes meanwhile: less the time of the travel to this place.
        let speed = max(VisitDetector.usualSpeed, fix.speed ?? 0)
        let elsewhere = beyondSince ?? fix.time
        let gap = elsewhere.seconds(since: lastInside)
        guard gap > VisitDetector.challengeLasts else { return lastStill }
        let travel = Int64(min(gap, distance / speed) * 1_000_000)
        return max(lastStill, UTCTime(microseconds: elsewhere.microseconds - travel))
    }

    private mutating func hasEnded(by fix: Fix, distance: Double, challenger: Stay?) -> Bool {
        guard isReported else {
            // Not a stay yet: another place takes over soon, and at once where this one is out of reach.
            let elsewhere = challenger.map { fix.time.seconds(since: $0.first) } ?? 0
            return elsewhere >= VisitDetector.challengeLasts
                || distance > max(VisitDetector.atOnce, 3 * fix.horizontalAccuracy)
        }
        guard distance > max(VisitDetector.beyond, 3 * fix.horizontalAccuracy) else {
            beyondSince = nil
            return false
        }
        let since = beyondSince ?? fix.time
        beyondSince = since
        return fix.time.seconds(since: since) >= VisitDetector.beyondLasts
            || distance > max(VisitDetector.atOnce, 3 * fix.horizontalAccuracy)
    }
}
