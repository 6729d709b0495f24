import Location

/// What the filter remembers of one receiver.
struct ReceiverHistory {
    /// The fix last believed, delivered or not.
    var last: Fix?
    /// When anything was heard of it, nanoseconds of CLOCK_MONOTONIC.
    var heardAt: UInt64
    var gst: GST?
    var sky: SkyView?
    var skyReceivedAt: UInt64 = 0
    /// How exact it last said that it is, metres, and when.
    var reportedAccuracy: (radius: Double, at: UInt64)?
    /// Whether the first report of its last epoch had no figure for that, and a later one of the same epoch had.
    var reportsAccuracyLater = false
    /// The epochs since that did not.
    var epochsWithoutAccuracy = 0
    var lastEpochWithoutAccuracy: UTCTime?
    /// Fixes at a place that needed an impossible speed.
    var elsewhere: Elsewhere?
    /// Whether its own speed has been shown to say nothing about how far it goes.
    var hasWrongSpeed = false
    /// Fixes at a time before the last one's, following each other.
    var earlier: (time: UTCTime, count: Int)?
    /// A new connection: a replay may start again from its beginning.
    var mayStartAgain = false

    /// The epoch of the fix last believed.
    var epoch: Epoch?
    /// In which of its epochs fuller reports followed the first.
    var pattern = EpochPattern()
    /// Nanoseconds between its last two epochs, as they arrived; nil before there were two.
    var interval: UInt64?
    /// Its reports of positions without a date.
    var undated = UndatedReports()

    init(heardAt: UInt64) {
        self.heardAt = heardAt
    }

    func sky(at monotonic: UInt64) -> SkyView? {
        monotonic - min(monotonic, skyReceivedAt) <= AccuracyEstimate.skyLifetime ? sky : nil
    }

    /// It told how exact it is.
    mutating func append(accuracy radius: Double, at time: UTCTime, _ monotonic: UInt64) {
        if lastEpochWithoutAccuracy == time { reportsAccuracyLater = true }
        reportedAccuracy = (radius, monotonic)
        epochsWithoutAccuracy = 0
        lastEpochWithoutAccuracy = nil
    }

    /// What stands for an accuracy that a report left out: the last one told, grown since, or what is assumed of a receiver
    /// that never tells. None where a later report of the epoch is expected to tell it.
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

    /// By how much a radius that is not told anew grows in a second, metres: by one or by its twentieth, whichever is more, and
    /// by a tenth of the way where the receiver reckons without satellites.
    private static func growth(of radius: Double, _ tpv: TPV) -> Double {
        let isDeadReckoning = (5...6).contains(tpv.status)
        return max(1, radius / 20) + (isDeadReckoning ? max(0, tpv.speed ?? 0) / 10 : 0)
    }
}

extension ReceiverHistory {
    /// What is judged by when an epoch's first report comes: its later reports are judged by the same.
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
