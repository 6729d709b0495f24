import Location

/// Decides whether the machine moves or is stationary.
///
/// A fix is evidence of movement if its speed is, or if it is too far from where the machine was for the errors of both. The
/// two states have different thresholds, so that a machine at the threshold does not alternate between them:
///
/// | from       | to         | evidence                                                                              |
/// | ---------- | ---------- | ------------------------------------------------------------------------------------- |
/// | moving     | stationary | for 60 s no speed above 0.7 m/s and 3 of its accuracies, and within max(15 m, 2 r)     |
/// | stationary | moving     | on 3 fixes over 2 s a speed above 1 m/s and 4 of its accuracies                        |
/// | stationary | moving     | for 10 s each fix farther than max(30 m, 3 r) from the centre                          |
///
/// r is the root of the sum of both squared radii of 68 %. A speed without an accuracy counts as accurate to
/// 0.75 m/s: it is evidence from 3 m/s on for a stationary machine, and from 2.25 m/s on for a moving one. A loss of the fix
/// leaves the state unchanged.
public struct MotionDetector: Equatable, Sendable {
    /// Whether the machine moves.
    public enum State: Equatable, Sendable {
        /// There were too few fixes to decide.
        case unknown
        /// It moves.
        case moving
        /// It is stationary since this time of its receiver.
        case stationary(since: UTCTime)
    }

    /// What there is evidence of.
    public private(set) var state = State.unknown
    /// The earliest fix at the present place while the machine is not known to be stationary; else the centre.
    private var anchor: Anchor?
    /// Evidence against being stationary that does not suffice yet.
    private var fast: (since: UTCTime, count: Int)?
    private var displacedSince: UTCTime?
    private var last: UTCTime?

    /// Seconds.
    static let settling = 60.0
    static let displacementLasts = 10.0
    static let speedLasts = 2.0
    static let speedCount = 3
    /// Seconds without a fix after which evidence is not added to that from before.
    static let longestGap = 120.0
    /// The assumed 68 % accuracy of a speed without one, metres a second.
    static let assumedSpeedAccuracy = 0.75

    fileprivate struct Anchor: Equatable {
        var coordinate: Coordinate
        /// The first fix, which slow movement is compared with.
        var first: Coordinate
        /// Metres, 68 %.
        var accuracy: Double
        var since: UTCTime
        /// How many fixes the coordinate is the mean of.
        var weight = 1.0
    }

    /// A detector that has seen no fix.
    public init() {}

    /// Whether the machine is known to be stationary.
    public var isStationary: Bool {
        if case .stationary = state { true } else { false }
    }

    /// Whether the machine may have begun to move, which is not decided yet.
    public var isInDoubt: Bool { fast != nil || displacedSince != nil }

    /// Metres by which a fix is farther from where the machine was stationary than the errors of both can explain; 0 where
    /// they can, and while the machine is not known to be stationary.
    public func displacement(of fix: Fix) -> Double {
        guard isStationary, let anchor else { return 0 }
        return max(0, anchor.distance(to: fix) - anchor.error(with: fix))
    }

    /// Handles a fix. Returns whether the state has changed.
    @discardableResult
    public mutating func receive(_ fix: Fix) -> Bool {
        let before = state
        // Earlier than the last one, as after the restart of a replay.
        if let last, fix.time < last { self = MotionDetector() }
        if let last, fix.time.seconds(since: last) > Self.longestGap { (fast, displacedSince) = (nil, nil) }
        last = fix.time
        if case .stationary = state { leave(fix) } else { settle(fix) }
        return state != before
    }

    private mutating func settle(_ fix: Fix) {
        guard !Self.isFast(fix, above: 0.7, accuracies: 3) else {
            (state, anchor) = (.moving, nil)
            return
        }
        guard let present = anchor else { return begin(at: fix) }
        guard present.first.distance(to: fix.coordinate) <= max(15, 2 * present.radius(with: fix)) else {
            state = .moving
            return begin(at: fix)
        }
        anchor?.add(fix)
        guard fix.time.seconds(since: present.since) >= Self.settling else { return }
        state = .stationary(since: present.since)
    }

    private mutating func leave(_ fix: Fix) {
        guard let centre = anchor else { return begin(at: fix) }
        if Self.isFast(fix, above: 1, accuracies: 4) {
            fast = (fast?.since ?? fix.time, (fast?.count ?? 0) + 1)
        } else {
            fast = nil
        }
        let isDisplaced = centre.distance(to: fix) > max(30, centre.error(with: fix))
        displacedSince = isDisplaced ? displacedSince ?? fix.time : nil
        let isFast = fast.map { $0.count >= Self.speedCount && fix.time.seconds(since: $0.since) >= Self.speedLasts }
        let hasLeft = displacedSince.map { fix.time.seconds(since: $0) >= Self.displacementLasts }
        guard isFast == true || hasLeft == true else {
            if !isDisplaced, fast == nil { anchor?.add(fix) }
            return
        }
        state = .moving
        begin(at: fix)
    }

    private mutating func begin(at fix: Fix) {
        anchor = Anchor(
            coordinate: fix.coordinate, first: fix.coordinate, accuracy: fix.horizontalAccuracy, since: fix.time)
        (fast, displacedSince) = (nil, nil)
    }

    /// Whether the speed of a fix is above a threshold, and above its own error.
    static func isFast(_ fix: Fix, above threshold: Double, accuracies: Double) -> Bool {
        guard let speed = fix.speed else { return false }
        return speed > max(threshold, accuracies * (fix.speedAccuracy ?? assumedSpeedAccuracy))
    }

    /// Whether two detectors have the same state and evidence.
    public static func == (left: MotionDetector, right: MotionDetector) -> Bool {
        left.state == right.state && left.anchor == right.anchor && left.fast?.since == right.fast?.since
            && left.fast?.count == right.fast?.count && left.displacedSince == right.displacedSince
            && left.last == right.last
    }
}

extension MotionDetector.Anchor {
    fileprivate func distance(to fix: Fix) -> Double { coordinate.distance(to: fix.coordinate) }

    /// Metres, 68 %, of the difference of both places.
    fileprivate func radius(with fix: Fix) -> Double {
        (accuracy * accuracy + fix.horizontalAccuracy * fix.horizontalAccuracy).squareRoot()
    }

    /// Metres up to which errors explain the distance of both places.
    fileprivate func error(with fix: Fix) -> Double { 3 * radius(with: fix) }

    /// Moves the mean towards a fix; the newest 300 fixes have most of the weight.
    fileprivate mutating func add(_ fix: Fix) {
        weight = min(weight + 1, 300)
        coordinate = coordinate.moved(towards: fix.coordinate, by: 1 / weight)
        accuracy += (fix.horizontalAccuracy - accuracy) / weight
    }
}
