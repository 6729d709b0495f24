import Location
import Tracking

/// Decides from fixes whether the machine is in regions, and what is reported.
///
/// A fix is a probability. With the standard deviation σ along one axis and the signed distance d to the border, the
/// machine is inside with the probability Φ(−d/σ):
///
/// | d/σ             | probability     | a fix says                                   |
/// | --------------- | --------------- | -------------------------------------------- |
/// | −3.09 or less   | 0.999 or more   | inside; enough for a change                  |
/// | −1.645 or less  | 0.95 or more    | inside; a change needs a second such fix     |
/// | between         |                 | nothing: the state stays as it is            |
/// | 1.645 or more   | 0.05 or less    | outside; a change needs a second such fix    |
/// | 3.09 or more    | 0.001 or less   | outside; enough for a change                 |
///
/// So the uncertainty itself is the hysteresis.
///
/// Two fixes are evidence twice only if their errors differ. While the machine moves they do. While it is stationary, the
/// errors of its fixes last for minutes, as those of a signal that a wall reflects, and the machine cannot have crossed a
/// border: then a change needs fixes of the other side for as long as such errors do not last, and a known state does not
/// become unknown because fixes cannot decide.
///
/// While the machine is farther from each border than it has moved, plus
/// its uncertainty, a fix costs one distance and one comparison.
public struct RegionMonitor: Sendable {
    /// The limits of decisions.
    public struct Rules: Equatable, Sendable {
        /// Seconds without a decision, while fixes arrive, after which a state is unknown.
        public var undecidedAfter = 600.0
        /// Seconds between two fixes at most between which the route is taken to be straight.
        public var longestGap = 30.0
        /// Seconds between two fixes at least that decide a change together.
        public var confirmation = 1.0
        /// Seconds for which all fixes have to be on the other side until a state changes, while the machine is stationary.
        public var stationaryConfirmation = 600.0
        /// The same where all these fixes are certain.
        public var stationaryCertainty = 180.0
        /// Metres. A fix that is certain and farther beyond the border than this, or farther from where the machine was
        /// stationary, is no error of a stationary machine: it has been moved.
        public var stationaryError = 100.0
        /// The fix filter's limits: where it would not believe a movement, nothing is passed through.
        public var plausibility = FixFilter.Limits()

        /// The defaults.
        public init() {}
    }

    /// Φ⁻¹(0.95).
    static let likely = 1.644_853_6
    /// Φ⁻¹(0.999).
    static let certain = 3.090_232_3
    /// Metres that are added to what the machine can have moved: more than the errors of distances on short routes.
    private static let margin = 1.0

    /// The limits in force.
    public var rules: Rules
    /// The fixes that needed no more than one comparison.
    public private(set) var quietFixes = 0
    /// The regions in memory, by their numbers.
    public private(set) var regions: [Int64: MonitoredRegion] = [:]
    private var motion = MotionDetector()
    /// The previous fix, whatever it decided.
    private var previous: Fix?
    private var coverage: Coverage?
    private var quiet: Quiet?
    private let isExhaustive: Bool

    /// Where nothing can change.
    private struct Quiet {
        var middle: SurfacePoint
        /// Metres from there to the nearest border.
        var clearance: Double
        /// The time from which a stay has lasted long enough.
        var until: UTCTime?
    }

    /// A monitor without regions. An exhaustive one evaluates each region at each fix: the reference in tests.
    public init(rules: Rules = Rules(), isExhaustive: Bool = false) {
        self.rules = rules
        self.isExhaustive = isExhaustive
    }

    /// Adds a region, or replaces the one with its number.
    public mutating func insert(_ region: MonitoredRegion) {
        regions[region.number] = region
        quiet = nil
    }

    /// Removes a region, about which nothing is reported any more.
    public mutating func remove(_ number: Int64) {
        regions[number] = nil
    }

    /// Replaces the regions in memory by those of a neighbourhood. Nothing is reported for it. No fix for which the next
    /// pass is due under this coverage is handled with a comparison alone.
    public mutating func replaceRegions(_ neighbourhood: [MonitoredRegion], coverage: Coverage? = nil) {
        regions = Dictionary(neighbourhood.map { ($0.number, $0) }) { first, _ in first }
        quiet = nil
        self.coverage = coverage
    }

    /// What is known about a region in memory.
    public func state(of number: Int64) -> RegionState? { regions[number]?.state }

    /// Metres that the machine may move from a place, where its last fix was, until something can change at a border; nil
    /// if the next fix may change something wherever it is.
    public func remainder(at here: SurfacePoint) -> Double? {
        quiet.map { max(0, $0.clearance - $0.middle.distance(to: here)) }
    }

    /// The time from which a fix changes something wherever it is, because a stay has lasted long enough; nil for none.
    public var deadline: UTCTime? { quiet?.until }

    /// Handles the next fix. Events are ordered by the regions' numbers, those of one region by time.
    public mutating func receive(_ fix: Fix) -> [RegionEvent] {
        let here = SurfacePoint(fix.coordinate)
        guard !receiveQuiet(fix, at: here) else { return [] }
        defer { previous = fix }
        // A fix is evaluated again when the regions in memory have changed.
        if fix.time != previous?.time { motion.receive(fix) }
        return evaluate(fix, at: here, fix.horizontalAccuracy / Confidence.radiusOfDeviation)
    }

    /// Handles the next fix at this place if nothing can change, with one distance and one comparison. Otherwise it does
    /// nothing and returns false: the fix has to be passed to `receive`.
    public mutating func receiveQuiet(_ fix: Fix, at here: SurfacePoint) -> Bool {
        let deviation = fix.horizontalAccuracy / Confidence.radiusOfDeviation
        guard !isExhaustive, let quiet, quiet.until.map({ fix.time < $0 }) ?? true,
            quiet.middle.distance(to: here) + Self.likely * deviation + Self.margin < quiet.clearance
        else { return false }
        quietFixes += 1
        if fix.time != previous?.time { motion.receive(fix) }
        previous = fix
        return true
    }

    /// The states of all regions become unknown: of those that were known, this is reported.
    public mutating func lose(_ doubt: RegionDoubt, at time: UTCTime) -> [RegionEvent] {
        previous = nil
        quiet = nil
        return regions.keys.sorted().flatMap { number in
            var events: [RegionEvent] = []
            if var region = regions[number] {
                region.becomeUnknown(doubt, at: time, &events)
                regions[number] = region
            }
            return events
        }
    }

    private mutating func evaluate(_ fix: Fix, at here: SurfacePoint, _ deviation: Double) -> [RegionEvent] {
        let step = previous.flatMap { RouteStep(from: $0, to: fix, rules) }
        // After a gap the motion detector may not have seen the departure yet, and the next border is crossed before it has.
        let isStationary = motion.isStationary && motion.displacement(of: fix) <= rules.stationaryError
        var events: [RegionEvent] = []
        var clearance = Double.infinity
        var until: UTCTime?
        var isRestless = false
        for (number, region) in regions {
            var region = region
            let distance = region.region.signedDistance(to: here)
            let evaluation = Evaluation(
                time: fix.time, distance: distance, deviation: deviation, step: step,
                isStationary: isStationary, rules: rules)
            region.apply(evaluation, &events)
            clearance = min(clearance, abs(distance))
            // A machine that is stationary on the other side than was decided waits there for fixes that decide.
            isRestless = isRestless || region.isRestless || evaluation.contradicts(region.state)
            if let deadline = region.deadline { until = min(until ?? deadline, deadline) }
            regions[number] = region
        }
        if let coverage { clearance = min(clearance, coverage.remainder(at: here)) }
        quiet = isRestless ? nil : Quiet(middle: here, clearance: clearance, until: until)
        // The order of events of one region is that of their creation: the sort is stable in its second key.
        return events.enumerated().sorted { ($0.element.region, $0.offset) < ($1.element.region, $1.offset) }
            .map { $0.element.decided(by: fix) }
    }
}

extension RegionEvent {
    /// The event with the place of the fix that decided it.
    fileprivate func decided(by fix: Fix) -> RegionEvent {
        if case .unknown = kind { return self }
        var event = self
        event.place = EventPlace(fix.coordinate, horizontalAccuracy: fix.horizontalAccuracy)
        return event
    }
}
