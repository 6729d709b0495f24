import Location

/// The state that the filter retains for one receiver.
struct ReceiverHistory {
    /// The fix believed last, delivered or not.
    var last: Fix?
    /// When any report of it was received, nanoseconds of CLOCK_MONOTONIC.
    var heardAt: UInt64
    var gst: GST?
    var sky: SkyView?
    var skyReceivedAt: UInt64 = 0
    /// The accuracy that it reported last, in metres, and when.
    var reportedAccuracy: (radius: Double, at: UInt64)?
    /// Whether the first report of its last epoch had no accuracy, and a later report of the same epoch had one.
    var reportsAccuracyLater = false
    /// The number of epochs without an accuracy since.
    var epochsWithoutAccuracy = 0
    var lastEpochWithoutAccuracy: UTCTime?
    /// Fixes at a place that is only reachable at an impossible speed.
    var elsewhere: Elsewhere?
    /// Whether its reported speed has proved useless for limiting its movement.
    var hasWrongSpeed = false
    /// Consecutive fixes with a time before the last fix.
    var earlier: (time: UTCTime, count: Int)?
    /// There is a new connection: a replay may start again from its beginning.
    var mayStartAgain = false

    /// The epoch of the fix believed last.
    var epoch: Epoch?
    /// In which of its epochs more complete reports followed the first.
    var pattern = EpochPattern()
    /// Nanoseconds between the arrival of its last two epochs; nil before there were two.
    var interval: UInt64?
    /// Its reports of positions without a date.
    var undated = UndatedReports()

    init(heardAt: UInt64) {
        self.heardAt = heardAt
    }

    func sky(at monotonic: UInt64) -> SkyView? {
        monotonic - min(monotonic, skyReceivedAt) <= AccuracyEstimate.skyLifetime ? sky : nil
    }

    /// Records a reported accuracy.
    mutating func append(accuracy radius: Double, at time: UTCTime, _ monotonic: UInt64) {
        if lastEpochWithoutAccuracy == time { reportsAccuracyLater = true }
        reportedAccuracy = (radius, monotonic)
        epochsWithoutAccuracy = 0
        lastEpochWithoutAccuracy = nil
    }

    /// The replacement for a missing accuracy: the last reported one, increased with time, or the assumed one for a
    /// receiver that never reports any. Throws if a later report of the epoch is expected to contain it.
    mutating func accuracyLeftOut(
        of tpv: TPV, at time: UTCTime, _ monotonic: UInt64, _ limits: FixFilter.Limits
    ) throws(Rejection) -> (Double, BelievedFix.AccuracySource) {
        if lastEpochWithoutAccuracy != time {
            if lastEpochWithoutAccuracy != nil { reportsAccuracyLater = false }
            lastEpochWithoutAccuracy = time
            epochsWithoutAccuracy += 1
        }
        guard let reportedAccuracy else {
            guard epochsWithoutAccuracy > limits.epochsWithoutAccuracy, let assumed = limits.assumedAccuracy else {
                throw .noAccuracy
            }
            return (assumed, .assumed)
        }
        guard !reportsAccuracyLater else { throw .noAccuracy }
        let (radius, at) = reportedAccuracy
        let elapsed = monotonic - min(monotonic, at)
        if elapsed > limits.accuracyMemory {
            guard let assumed = limits.assumedAccuracy else { throw .noAccuracy }
            return (max(assumed, radius), .assumed)
        }
        let grown = radius + Self.growth(of: radius, tpv) * Double(elapsed) / 1e9
        return (min(grown, max(limits.assumedAccuracy ?? grown, radius)), .bridged)
    }

    /// The growth of an accuracy radius without a new report, in metres per second: 1 or a twentieth of the radius,
    /// whichever is more, plus a tenth of the speed if the receiver uses dead reckoning.
    private static func growth(of radius: Double, _ tpv: TPV) -> Double {
        let isDeadReckoning = (5...6).contains(tpv.status)
        return max(1, radius / 20) + (isDeadReckoning ? max(0, tpv.speed ?? 0) / 10 : 0)
    }
}

extension ReceiverHistory {
    /// The state against which an epoch's first report is checked; its later reports are checked against the same.
    struct Baseline {
        var last: Fix?
        var elsewhere: Elsewhere?
        var earlier: (time: UTCTime, count: Int)?
        var mayStartAgain: Bool
        var hasWrongSpeed: Bool
    }

    var baseline: Baseline {
        get {
            Baseline(
                last: last, elsewhere: elsewhere, earlier: earlier, mayStartAgain: mayStartAgain,
                hasWrongSpeed: hasWrongSpeed)
        }
        set {
            (last, elsewhere, earlier) = (newValue.last, newValue.elsewhere, newValue.earlier)
            (mayStartAgain, hasWrongSpeed) = (newValue.mayStartAgain, newValue.hasWrongSpeed)
        }
    }
}
