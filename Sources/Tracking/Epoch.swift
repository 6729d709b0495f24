import Location

/// One epoch of a receiver since its first believed report: the combined content of its reports.
struct Epoch {
    /// The history before this epoch, against which the completed report is checked again.
    let baseline: ReceiverHistory.Baseline
    /// Its reports so far, each completed by the next.
    var report: TPV
    /// The fix from these reports.
    var believed: BelievedFix
    /// The number of reports so far.
    var count = 1
    /// Until when the epoch's fix is held for a more complete report, nanoseconds of CLOCK_MONOTONIC; nil if it was
    /// delivered or rejected.
    var heldUntil: UInt64?
}

extension Fix {
    /// Whether this fix has a value that another fix of the same epoch lacks, or a radius that is smaller by more than
    /// 1 %.
    func adds(to other: Fix) -> Bool {
        horizontalAccuracy < 0.99 * other.horizontalAccuracy || altitude != nil && other.altitude == nil
            || ellipsoidalAltitude != nil && other.ellipsoidalAltitude == nil
            || verticalAccuracy != nil && other.verticalAccuracy == nil || speed != nil && other.speed == nil
            || speedAccuracy != nil && other.speedAccuracy == nil || course != nil && other.course == nil
            || courseAccuracy != nil && other.courseAccuracy == nil || climb != nil && other.climb == nil
    }
}
