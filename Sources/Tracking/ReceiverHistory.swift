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
    /// When it last told how exact it is.
    var accuracyToldAt: UInt64?
    /// The epochs since that did not.
    var epochsWithoutAccuracy = 0
    var lastEpochWithoutAccuracy: UTCTime?
    /// Fixes at a place that needed an impossible speed, consistent with each other.
    var elsewhere: (fix: Fix, since: UTCTime, count: Int)?
    /// Fixes at a time before the last one's, following each other.
    var earlier: (time: UTCTime, count: Int)?
    /// A new connection: a replay may start again from its beginning.
    var mayStartAgain = false

    init(heardAt: UInt64) {
        self.heardAt = heardAt
    }

    func sky(at monotonic: UInt64) -> SkyView? {
        monotonic - min(monotonic, skyReceivedAt) <= AccuracyEstimate.skyLifetime ? sky : nil
    }

    /// Whether it has shown often enough that it never tells how exact it is.
    mutating func neverTellsAccuracy(at time: UTCTime, _ monotonic: UInt64, _ limits: FixFilter.Limits) -> Bool {
        if let told = accuracyToldAt, monotonic - min(monotonic, told) < limits.accuracyMemory { return false }
        if lastEpochWithoutAccuracy != time {
            lastEpochWithoutAccuracy = time
            epochsWithoutAccuracy += 1
        }
        return epochsWithoutAccuracy > limits.epochsWithoutAccuracy
    }

    mutating func toldAccuracy(at monotonic: UInt64) {
        accuracyToldAt = monotonic
        epochsWithoutAccuracy = 0
        lastEpochWithoutAccuracy = nil
    }
}
