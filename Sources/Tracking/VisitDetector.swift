import Location

/// Finds stays in a sequence of fixes.
///
/// A stay is 5 min or more within max(60 m, 3 r) of its centre, where r is the 68 % radius of the fix. The centre is the running
/// mean of the fixes, to which a fix farther away than 2 r contributes only as much as one at 2 r: reflected signals move it
/// little. The stay ends when fixes were farther than max(100 m, 3 r) from the centre for 2 min, or one is farther than
/// max(300 m, 3 r). Without fixes nothing changes: a stay in a house without reception goes on until a fix elsewhere.
///
/// | situation                                          | result                                                         |
/// | -------------------------------------------------- | -------------------------------------------------------------- |
/// | a red light, a traffic jam, a petrol stop of 4 min | no stay                                                        |
/// | a house in which the fix is lost for hours         | one stay; arrival by the last fix that was on the move          |
/// | a place where the first fix of all was             | a stay without an arrival                                      |
/// | the fix returns elsewhere                          | departure estimated from the distance, at 1.4 m/s or the speed |
public struct VisitDetector: Equatable, Sendable {
    /// What a fix has shown.
    public enum Event: Equatable, Sendable {
        /// A stay lasts for 5 min now.
        case arrived(Visit)
        /// A stay that was reported has ended.
        case departed(Visit)
    }

    /// Seconds that a stay lasts at least.
    public static let shortest = 300.0
    /// Metres from the centre.
    static let radius = 60.0
    static let beyond = 100.0
    static let atOnce = 300.0
    /// Metres; a less accurate fix is no evidence of any place.
    static let worstAccuracy = 200.0
    /// Seconds beyond `beyond` after which a stay has ended.
    static let beyondLasts = 120.0
    /// Seconds that fixes stay at another place before that place is considered instead of the present one.
    static let challengeLasts = 30.0
    /// Metres a second: a pedestrian, where nothing is known of the speed.
    static let usualSpeed = 1.4

    /// What is known of the present stay, or of what may become one.
    public private(set) var stay: Stay?
    /// A place elsewhere that may become the next stay.
    private var challenger: Stay?
    private var last: UTCTime?
    /// The latest fix, for the return of a fix that was lost.
    private var lastFix: Fix?

    /// A detector that has seen no fix.
    public init() {}

    /// A detector that goes on with a stay that was reported by an earlier one.
    public init(resuming stay: Stay) {
        self.stay = stay
        last = stay.lastInside
    }

    /// This detector, if the stay that an earlier one has reported may last still: with that stay, continued by what was seen
    /// since. Nil if the machine was elsewhere.
    public func continuing(_ earlier: Stay) -> VisitDetector? {
        guard let stay else { return last == nil ? VisitDetector(resuming: earlier) : nil }
        guard stay.lastInside >= earlier.lastInside,
            earlier.centre.distance(to: stay.centre) <= max(Self.radius, 3 * stay.accuracy)
        else { return nil }
        var detector = self
        var continued = stay
        (continued.first, continued.arrival, continued.isArrival) = (earlier.first, earlier.arrival, earlier.isArrival)
        continued.isReported = true
        detector.stay = continued
        return detector
    }

    /// The stay that was reported and lasts.
    public var current: Visit? { stay.flatMap { $0.isReported ? $0.visit : nil } }

    /// Handles a fix. Returns what it has shown, in its order.
    public mutating func receive(_ fix: Fix) -> [Event] {
        guard fix.horizontalAccuracy <= Self.worstAccuracy else { return [] }
        // Earlier than the last one, as after the restart of a replay.
        if let last, fix.time < last { self = VisitDetector() }
        defer { (last, lastFix) = (fix.time, fix) }
        guard var stay = returned(fix) ?? stay else {
            stay = Stay(at: fix, isArrival: false)
            return []
        }
        let distance = stay.centre.distance(to: fix.coordinate)
        if distance <= max(Self.radius, 3 * fix.horizontalAccuracy) {
            challenger = nil
            stay.add(fix)
        } else {
            challenge(fix)
            guard let departure = stay.departure(by: fix, distance: distance, challenger: challenger) else {
                self.stay = stay
                return []
            }
            self.stay = challenger
            challenger = nil
            return stay.isReported ? [.departed(stay.ended(at: departure))] + report() : report()
        }
        self.stay = stay
        return report()
    }

    /// The stay at the place of the latest fix, if the fix was lost there, has returned there, and the place is not known
    /// as a stay yet.
    private func returned(_ fix: Fix) -> Stay? {
        guard stay?.isReported != true, let lastFix, fix.time.seconds(since: lastFix.time) > Stay.longestGap,
            lastFix.coordinate.distance(to: fix.coordinate) <= max(Self.radius, 3 * fix.horizontalAccuracy)
        else { return nil }
        // Where a place is considered already that both fixes are at, the stay may have begun before the latest fix.
        let isKnown = [stay, challenger].compactMap(\.self).contains { known in
            known.arrival != nil && known.lastInside == lastFix.time
                && known.centre.distance(to: fix.coordinate) <= max(Self.radius, 3 * fix.horizontalAccuracy)
        }
        guard !isKnown else { return nil }
        return Stay(at: lastFix, isArrival: stay?.isArrival == true || stay?.first != lastFix.time)
    }

    /// Reports the present stay once it lasts long enough.
    private mutating func report() -> [Event] {
        guard var stay, !stay.isReported, stay.seconds >= Self.shortest else { return [] }
        stay.isReported = true
        self.stay = stay
        return [.arrived(stay.visit)]
    }

    /// Adds a fix that is not at the present place to another place, or begins one.
    private mutating func challenge(_ fix: Fix) {
        if var other = challenger,
            other.centre.distance(to: fix.coordinate) <= max(Self.radius, 3 * fix.horizontalAccuracy)
        {
            other.add(fix)
            challenger = other
        } else {
            // After a long time without fixes nobody knows how long it has been there.
            let gap = last.map { fix.time.seconds(since: $0) } ?? .infinity
            challenger = Stay(at: fix, isArrival: gap < Self.shortest)
        }
    }
}
