import Location

/// Decides which of gpsd's reports are fixes, and which of their values are credible.
///
/// A report that fails a check is not delivered, and is counted by its reason. A fix is never delivered with an
/// accuracy of 0. Its time is the receiver's, except for a date that is off by whole eras, see `DateValidator`, and for
/// a receiver that reports no date, see `UndatedReports`. The attitude of a vehicle (ATT) is its heading and not its
/// direction of movement, so it is no part of a fix; see `Compass`.
public struct FixFilter {
    /// The result of a report.
    public enum Verdict: Equatable, Sendable {
        /// The report is a fix, or completes one.
        case fix(Fix)
        /// The report is a fix, and the first report of an epoch for which a more complete one is expected. For clients
        /// that want each epoch at once. The epoch's fix follows, at the latest at `heldUntil`.
        case first(Fix)
        /// The report adds to an epoch whose fix follows.
        case held
        /// The report is no fix, for this reason.
        case rejected(Rejection)
    }

    /// The filter's limits.
    public struct Limits: Equatable, Sendable {
        /// Whether the configuration declares all positions a replay or a simulation.
        public var isSimulated = false
        /// A system clock before this time is wrong: 2026-01-01T00:00:00Z, raised with releases.
        public var built = UTCTime(microseconds: 1_767_225_600_000_000)
        /// Metres per second above which no fix is believed: twice the 600 from which the Missile Technology Control
        /// Regime restricts receivers, so that no freely available receiver is rejected because of its errors.
        public var speed = 1_200.0
        /// Metres per second squared by which the speed between two fixes may exceed the speed that the receiver
        /// reports: ten times gravity. This lets a receiver that converges after its start jump by the width of a
        /// street.
        public var acceleration = 100.0
        /// Consistent fixes until a place is believed that is only reachable at an impossible speed.
        public var fixesElsewhere = 3
        /// Seconds that these fixes must span: receivers have jumped elsewhere for a few seconds and back.
        public var secondsElsewhere = 10.0
        /// Fixes in order until an earlier time is believed, if the system clock supports it.
        public var fixesEarlier = 10
        /// Metres, the worst horizontal accuracy that is of any use.
        public var accuracy = 100_000.0
        /// Metres, the accuracy assumed for a receiver that never reports one; nil rejects all its reports.
        public var assumedAccuracy: Double? = 120
        /// Epochs without an accuracy that are rejected before one is assumed.
        public var epochsWithoutAccuracy = 3
        /// Nanoseconds for which the last reported accuracy replaces missing ones; it is increased with time.
        public var accuracyMemory: UInt64 = 60_000_000_000
        /// The most nanoseconds for which the first report of an epoch is held for a more complete one.
        public var longestHold: UInt64 = 150_000_000
        /// The greatest hold as a share of the receiver's interval.
        public var holdShare = 0.25
        /// How positions of a receiver without a date are handled.
        public var systemTimestamps = SystemTimestamps.synchronized
        /// Metres above mean sea level or the ellipsoid: from below any mine to above any balloon.
        public var altitudes: ClosedRange<Double> = -12_000...100_000
        /// Metres per second below which the receiver's course is noise.
        public var slowestWithCourse = 0.5
        /// Another receiver is clearly better if its accuracy radius is below this share of the current one's.
        public var clearlyBetter = 0.7
        /// Consecutive fixes that must be clearly better before another receiver is chosen.
        public var betterFixes = 5
        /// Nanoseconds of silence after which another receiver is chosen; 3 intervals of a slow receiver.
        public var silence: UInt64 = 5_000_000_000

        /// The defaults.
        public init() {}
    }

    /// The most receivers remembered at once; the one silent for longest is dropped.
    static let maximumReceivers = 16

    /// The rejected reports, by reason.
    public internal(set) var rejected: [Rejection: Int] = [:]
    /// The number of delivered fixes.
    public private(set) var accepted = 0
    /// The number of delivered fixes with an assumed accuracy.
    public private(set) var assumedAccuracies = 0
    /// The number of delivered fixes with an accuracy from an earlier report.
    public private(set) var bridgedAccuracies = 0
    /// The number of delivered fixes whose date was corrected by whole eras.
    public private(set) var correctedDates = 0
    /// How positions without a date are handled at present.
    public private(set) var undatedState = UndatedState.none
    /// The receiver whose fixes are delivered.
    public var chosenReceiver: String? { choice.current }

    /// The limits in force: a change applies from the next report on.
    public var limits: Limits
    private let dates: DateValidator
    var histories: [String: ReceiverHistory] = [:]
    /// The number of receivers with a fix that is held for a more complete report.
    var heldCount = 0
    var choice = ReceiverChoice()
    private var lastDelivered: Fix?

    /// A filter without any history.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        dates = DateValidator(built: limits.built)
    }

    /// Remembers the noise statistics of a receiver's epoch.
    public mutating func note(_ gst: GST, at instant: Instant) {
        touch(gst.receiver, instant)
        histories[gst.receiver]?.gst = gst
    }

    /// Remembers a receiver's dilution of precision.
    public mutating func note(_ sky: SkyView, at instant: Instant) {
        touch(sky.receiver, instant)
        histories[sky.receiver]?.sky = sky
        histories[sky.receiver]?.skyReceivedAt = instant.monotonicNanoseconds
    }

    /// Whether the latest position of a receiver is from a replay or a simulator.
    public func isSimulated(_ receiver: String) -> Bool { histories[receiver]?.last?.isSimulated ?? false }

    /// A receiver was removed: another one may be chosen at once.
    public mutating func forget(receiver: String) {
        choice.forget(receiver)
        histories[receiver]?.mayStartAgain = true
    }

    /// The connection to gpsd is a new one. A replay may start again from its beginning; a live receiver's time
    /// continues.
    public mutating func connectionRestarted() {
        for receiver in histories.keys { forget(receiver: receiver) }
    }

    /// Evaluates a report. Call `releaseEarlier(than:)` first and deliver its result.
    public mutating func consider(_ tpv: TPV, at instant: Instant) -> Verdict {
        let heardAt = histories[tpv.receiver]?.heardAt ?? instant.monotonicNanoseconds
        touch(tpv.receiver, instant)
        var history = histories[tpv.receiver] ?? ReceiverHistory(heardAt: heardAt)
        defer { histories[tpv.receiver] = history }
        do throws(Rejection) {
            if let verdict = try join(tpv, &history, instant) { return verdict }
            let baseline = history.baseline
            let believed = try believe(tpv, &history, instant, heardAt: heardAt)
            return try begin(Epoch(baseline: baseline, report: tpv, believed: believed), &history)
        } catch {
            if error == .noFix { choice.noteNoFix(of: tpv.receiver, at: validatedTime(of: tpv, at: instant)) }
            rejected[error, default: 0] += 1
            return .rejected(error)
        }
    }

    private func validatedTime(of tpv: TPV, at instant: Instant) -> UTCTime? {
        guard let time = tpv.time else { return nil }
        do throws(Rejection) { return try date(time, of: tpv, instant).0 } catch { return nil }
    }

    private func isMarked(_ tpv: TPV) -> Bool { limits.isSimulated || tpv.status == 8 }

    mutating func believe(
        _ tpv: TPV, _ history: inout ReceiverHistory, _ instant: Instant, heardAt: UInt64
    ) throws(Rejection) -> BelievedFix {
        guard tpv.mode >= 2 else { throw .noFix }
        guard let reported = tpv.time else { return try believeUndated(tpv, &history, instant, heardAt: heardAt) }
        history.undated.dateReported()
        let coordinate = try Self.coordinate(of: tpv)
        let (time, isSimulated) = try date(reported, of: tpv, instant)
        let fix = Fix(
            time: time, receivedAt: instant.monotonicNanoseconds, coordinate: coordinate, horizontalAccuracy: 0,
            isSimulated: isSimulated, quality: Self.quality(status: tpv.status), receiver: tpv.receiver)
        var believed = try complete(fix, of: tpv, at: reported, &history, instant)
        believed.hasCorrectedDate = time != reported
        return believed
    }

    /// A position without a date, stamped with its arrival time if that is permitted.
    private mutating func believeUndated(
        _ tpv: TPV, _ history: inout ReceiverHistory, _ instant: Instant, heardAt: UInt64
    ) throws(Rejection) -> BelievedFix {
        let coordinate: Coordinate
        do throws(Rejection) { coordinate = try Self.coordinate(of: tpv) } catch { throw .noTime }
        switch history.undated.evaluate(at: instant.monotonicNanoseconds, heardAt: heardAt) {
        case .notYet: undatedState = .waiting
        case .sameEpoch: throw undatedState == .stamped ? .duplicateEpoch : .noTime
        case .current:
            switch limits.systemTimestamps {
            case .never: undatedState = .disabled
            case .synchronized where !instant.isSynchronised: undatedState = .clockUnsynchronized
            case .synchronized, .always: undatedState = .stamped
            }
        }
        guard undatedState == .stamped else { throw .noTime }
        let fix = Fix(
            time: instant.utc, receivedAt: instant.monotonicNanoseconds, coordinate: coordinate, horizontalAccuracy: 0,
            isSimulated: isMarked(tpv), quality: Self.quality(status: tpv.status), receiver: tpv.receiver,
            timestampSource: .systemClock)
        return try complete(fix, of: tpv, at: instant.utc, &history, instant)
    }

    private func complete(
        _ begun: Fix, of tpv: TPV, at reported: UTCTime, _ history: inout ReceiverHistory, _ instant: Instant
    ) throws(Rejection) -> BelievedFix {
        var believed = BelievedFix(fix: begun)
        try history.checkOrder(of: believed.fix, limits, instant)
        (believed.fix.horizontalAccuracy, believed.accuracySource) = try accuracy(
            of: tpv, at: reported, &history, instant)
        try addMotion(of: tpv, to: &believed.fix)
        try history.checkSpeed(of: believed.fix, limits)
        history.last = believed.fix
        return believed
    }

    mutating func deliver(_ believed: BelievedFix) throws(Rejection) {
        let fix = believed.fix
        guard choice.admits(fix, limits) else { throw .otherReceiver }
        // Live receivers share one time; each replay has its own.
        if let last = lastDelivered, last.receiver != fix.receiver, !last.isSimulated, !fix.isSimulated {
            if fix.time == last.time { throw .duplicateEpoch }
            if fix.time < last.time { throw .timeBackwards }
        }
        lastDelivered = fix
        accepted += 1
        if fix.timestampSource == .receiver { undatedState = .none }
        if believed.hasCorrectedDate { correctedDates += 1 }
        switch believed.accuracySource {
        case .reported: break
        case .bridged: bridgedAccuracies += 1
        case .assumed: assumedAccuracies += 1
        }
    }

    static func coordinate(of tpv: TPV) throws(Rejection) -> Coordinate {
        guard let latitude = tpv.latitude, let longitude = tpv.longitude else { throw .noCoordinate }
        guard latitude.isFinite, longitude.isFinite else { throw .notFinite }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .outOfRange }
        // A centimetre: finer than a report of the real place, south of Ghana, would match by chance.
        guard abs(latitude) > 1e-7 || abs(longitude) > 1e-7 else { throw .nullIsland }
        return coordinate
    }

    private func date(
        _ reported: UTCTime, of tpv: TPV, _ instant: Instant
    ) throws(Rejection) -> (UTCTime, isSimulated: Bool) {
        switch dates.validate(reported, from: tpv.receiver, isSimulated: isMarked(tpv), at: instant) {
        case .impossible: throw .weekRollover
        case .replayed(let time): return (time, true)
        case .plausible(let time): return (time, isMarked(tpv))
        }
    }

    private func accuracy(
        of tpv: TPV, at time: UTCTime, _ history: inout ReceiverHistory, _ instant: Instant
    ) throws(Rejection) -> (Double, BelievedFix.AccuracySource) {
        let now = instant.monotonicNanoseconds
        guard
            let estimatedRadius = AccuracyEstimate.radius(
                of: tpv, at: time, gst: history.gst, sky: history.sky(at: now))
        else {
            return try history.accuracyLeftOut(of: tpv, at: time, now, limits)
        }
        guard estimatedRadius <= limits.accuracy else { throw .implausibleAccuracy }
        history.append(accuracy: estimatedRadius, at: time, now)
        return (estimatedRadius, .reported)
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

    /// gpsd omits the status of plain fixes.
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

    private mutating func touch(_ receiver: String, _ instant: Instant) {
        let now = instant.monotonicNanoseconds
        guard histories[receiver] == nil else {
            histories[receiver]?.heardAt = now
            return
        }
        if histories.count >= Self.maximumReceivers,
            let oldest = histories.min(by: { $0.value.heardAt < $1.value.heardAt })?.key
        {
            if histories[oldest]?.epoch?.heldUntil != nil { heldCount -= 1 }
            forget(receiver: oldest)
            histories[oldest] = nil
        }
        histories[receiver] = ReceiverHistory(heardAt: now)
    }
}
