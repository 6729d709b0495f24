import Location

/// Decides which of gpsd's reports are fixes, and what may be believed of them.
///
/// A report that fails is not delivered and is counted by its reason. A fix is never delivered with an accuracy of 0 or
/// with a time that the receiver did not give; the one thing that is mended is a date that is whole eras off, see
/// `DateJudge`. The attitude of a vehicle (ATT) says where it points and not where it goes, so nothing here is made of it.
public struct FixFilter {
    /// What became of a report.
    public enum Verdict: Equatable, Sendable {
        /// It is a fix.
        case fix(Fix)
        /// It is none, for this reason.
        case rejected(Rejection)
    }

    /// The filter's bounds.
    public struct Limits: Equatable, Sendable {
        /// Whether everything comes from a replay or a simulator, by configuration.
        public var isSimulated = false
        /// A system clock before this is wrong: 2026-01-01T00:00:00Z, raised with releases.
        public var built = UTCTime(microseconds: 1_767_225_600_000_000)
        /// Metres a second; 600 is where the Missile Technology Control Regime begins to forbid receivers.
        public var speed = 600.0
        /// Consistent fixes until a place is believed that needed an impossible speed.
        public var fixesElsewhere = 3
        /// Seconds over which these fixes must reach: receivers have been elsewhere for a few and come back.
        public var secondsElsewhere = 10.0
        /// Fixes in order until an earlier time is believed, where the system's clock agrees with it.
        public var fixesEarlier = 10
        /// Metres, the worst horizontal accuracy of any use.
        public var accuracy = 100_000.0
        /// Metres, what is taken where a receiver never says how exact it is; nil rejects all its reports.
        public var assumedAccuracy: Double? = 120
        /// Epochs without any figure that are rejected before the assumption is made.
        public var epochsWithoutAccuracy = 3
        /// Nanoseconds for which a receiver that told its accuracy is expected to tell it again.
        public var accuracyMemory: UInt64 = 60_000_000_000
        /// Metres above mean sea level or the ellipsoid: below any mine, above any balloon.
        public var altitudes: ClosedRange<Double> = -12_000...100_000
        /// Metres a second below which the receiver's course is noise.
        public var slowestWithCourse = 0.5
        /// Another receiver is clearly better with less than this share of the present one's accuracy radius.
        public var clearlyBetter = 0.7
        /// Fixes in a row that must be clearly better for another receiver to take over.
        public var betterFixes = 5
        /// Nanoseconds of silence after which another receiver takes over; 3 intervals of a slow one.
        public var silence: UInt64 = 5_000_000_000

        /// The defaults.
        public init() {}
    }

    /// Receivers remembered at once; the one longest unheard makes room.
    static let maximumReceivers = 16

    /// Reports that were none, by reason.
    public private(set) var rejected: [Rejection: Int] = [:]
    /// Fixes delivered.
    public private(set) var accepted = 0
    /// Fixes among them whose accuracy had to be assumed.
    public private(set) var assumedAccuracies = 0
    /// Fixes among them whose date was mended by whole eras.
    public private(set) var correctedDates = 0
    /// The receiver whose fixes are delivered.
    public var chosenReceiver: String? { choice.current }

    /// The bounds in force: a change holds from the next report on.
    public var limits: Limits
    private let judge: DateJudge
    private var histories: [String: ReceiverHistory] = [:]
    private var choice = ReceiverChoice()
    private var lastDelivered: Fix?

    /// A filter that has seen nothing.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        judge = DateJudge(built: limits.built)
    }

    /// Remembers the noise statistics of a receiver's epoch.
    public mutating func note(_ gst: GST, at moment: Moment) {
        touch(gst.receiver, moment)
        histories[gst.receiver]?.gst = gst
    }

    /// Remembers a receiver's dilution of precision.
    public mutating func note(_ sky: SkyView, at moment: Moment) {
        touch(sky.receiver, moment)
        histories[sky.receiver]?.sky = sky
        histories[sky.receiver]?.skyReceivedAt = moment.monotonicNanoseconds
    }

    /// A receiver is gone: another may take over at once.
    public mutating func forget(receiver: String) {
        choice.forget(receiver)
        histories[receiver]?.mayStartAgain = true
    }

    /// The connection to gpsd is a new one. A replay may begin again there; a live receiver's time runs on.
    public mutating func connectionRestarted() {
        for receiver in histories.keys { forget(receiver: receiver) }
    }

    /// What becomes of a report.
    public mutating func consider(_ tpv: TPV, at moment: Moment) -> Verdict {
        touch(tpv.receiver, moment)
        var history = histories[tpv.receiver] ?? ReceiverHistory(heardAt: moment.monotonicNanoseconds)
        defer { histories[tpv.receiver] = history }
        do throws(Rejection) {
            let fix = try believe(tpv, &history, moment)
            try deliver(fix)
            return .fix(fix)
        } catch {
            rejected[error, default: 0] += 1
            return .rejected(error)
        }
    }

    private mutating func believe(
        _ tpv: TPV, _ history: inout ReceiverHistory, _ moment: Moment
    ) throws(Rejection) -> Fix {
        guard tpv.mode >= 2 else { throw .noFix }
        guard let reported = tpv.time else { throw .noTime }
        let coordinate = try Self.coordinate(of: tpv)
        let isMarked = limits.isSimulated || tpv.status == 8
        let (time, isSimulated) = try date(reported, of: tpv, isMarked: isMarked, moment)
        var fix = Fix(
            time: time, receivedAt: moment.monotonicNanoseconds, coordinate: coordinate, horizontalAccuracy: 0,
            isSimulated: isSimulated, quality: Self.quality(status: tpv.status), receiver: tpv.receiver)
        try history.checkOrder(of: fix, limits, moment)
        fix.horizontalAccuracy = try accuracy(of: tpv, at: reported, &history, moment)
        try addMotion(of: tpv, to: &fix)
        try history.checkSpeed(of: fix, limits)
        history.last = fix
        return fix
    }

    private mutating func deliver(_ fix: Fix) throws(Rejection) {
        guard choice.admits(fix, limits) else { throw .otherReceiver }
        // Live receivers share one time; each replay has its own.
        if let last = lastDelivered, last.receiver != fix.receiver, !last.isSimulated, !fix.isSimulated {
            if fix.time == last.time { throw .duplicateEpoch }
            if fix.time < last.time { throw .timeBackwards }
        }
        lastDelivered = fix
        accepted += 1
    }

    private static func coordinate(of tpv: TPV) throws(Rejection) -> Coordinate {
        guard let latitude = tpv.latitude, let longitude = tpv.longitude else { throw .noCoordinate }
        guard latitude.isFinite, longitude.isFinite else { throw .notFinite }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .outOfRange }
        // A centimetre: finer than any report that means the real place, south of Ghana, would hit by chance.
        guard abs(latitude) > 1e-7 || abs(longitude) > 1e-7 else { throw .nullIsland }
        return coordinate
    }

    private mutating func date(
        _ reported: UTCTime, of tpv: TPV, isMarked: Bool, _ moment: Moment
    ) throws(Rejection) -> (UTCTime, isSimulated: Bool) {
        switch judge.judge(reported, from: tpv.receiver, isSimulated: isMarked, at: moment) {
        case .impossible:
            throw .weekRollover
        case .replayed(let time):
            return (time, true)
        case .plausible(let time):
            if time != reported { correctedDates += 1 }
            return (time, isMarked)
        }
    }

    private mutating func accuracy(
        of tpv: TPV, at time: UTCTime, _ history: inout ReceiverHistory, _ moment: Moment
    ) throws(Rejection) -> Double {
        let now = moment.monotonicNanoseconds
        let estimate = AccuracyEstimate.radius(of: tpv, at: time, gst: history.gst, sky: history.sky(at: now))
        guard let estimate else {
            guard history.neverTellsAccuracy(at: time, now, limits), let assumed = limits.assumedAccuracy else {
                throw .noAccuracy
            }
            assumedAccuracies += 1
            return assumed
        }
        history.toldAccuracy(at: now)
        guard estimate <= limits.accuracy else { throw .implausibleAccuracy }
        return estimate
    }

    private func addMotion(of tpv: TPV, to fix: inout Fix) throws(Rejection) {
        if tpv.mode >= 3 {
            fix.altitude = tpv.altitudeMSL.flatMap { $0.isFinite ? $0 : nil }
            fix.ellipsoidalAltitude = tpv.altitudeHAE.flatMap { $0.isFinite ? $0 : nil }
            for altitude in [fix.altitude, fix.ellipsoidalAltitude] {
                if let altitude, !limits.altitudes.contains(altitude) { throw .implausibleAltitude }
            }
            if fix.altitude != nil || fix.ellipsoidalAltitude != nil {
                fix.verticalAccuracy = AccuracyEstimate.positive(tpv.epv).map { $0 * Confidence.linear }
            }
            fix.climb = tpv.climb.flatMap { abs($0) <= limits.speed ? $0 : nil }
        }
        guard let speed = tpv.speed, (0...limits.speed).contains(speed) else { return }
        fix.speed = speed
        fix.speedAccuracy = AccuracyEstimate.positive(tpv.eps).map { $0 * Confidence.linear }
        guard speed >= limits.slowestWithCourse, let track = tpv.track, abs(track) <= 360 else { return }
        let positiveTrack = track < 0 ? track + 360 : track
        fix.course = positiveTrack < 360 ? positiveTrack : 0
        fix.courseAccuracy = AccuracyEstimate.positive(tpv.epd).map { min(180, $0 * Confidence.linear) }
    }

    /// gpsd leaves status out of plain fixes.
    private static func quality(status: Int) -> FixQuality? {
        switch status {
        case 0, 1, 9: .ordinary
        case 2: .dgps
        case 3: .rtkFixed
        case 4: .rtkFloat
        case 5, 6: .deadReckoning
        case 7: .surveyed
        default: nil
        }
    }

    private mutating func touch(_ receiver: String, _ moment: Moment) {
        let now = moment.monotonicNanoseconds
        guard histories[receiver] == nil else {
            histories[receiver]?.heardAt = now
            return
        }
        if histories.count >= Self.maximumReceivers,
            let oldest = histories.min(by: { $0.value.heardAt < $1.value.heardAt })?.key
        {
            forget(receiver: oldest)
            histories[oldest] = nil
        }
        histories[receiver] = ReceiverHistory(heardAt: now)
    }
}
