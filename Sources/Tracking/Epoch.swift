import Location

/// One epoch of a receiver, from its first believed report on: what its reports said together.
struct Epoch {
    /// What the history remembered before it, by which the completed report is checked again.
    let baseline: ReceiverHistory.Baseline
    /// Its reports, each completed by the next.
    var report: TPV
    /// The fix that they make.
    var believed: BelievedFix
    /// The reports so far.
    var count = 1
    /// Until when it is held for a fuller report, nanoseconds of CLOCK_MONOTONIC; nil where it was delivered, or decided
    /// upon in another way.
    var heldUntil: UInt64?
}

extension Fix {
    /// Whether it says something that another fix of the same epoch does not, or says it with a radius that is smaller by
    /// more than a hundredth.
    func adds(to other: Fix) -> Bool {
        horizontalAccuracy < 0.99 * other.horizontalAccuracy || altitude != nil && other.altitude == nil
            || ellipsoidalAltitude != nil && other.ellipsoidalAltitude == nil
            || verticalAccuracy != nil && other.verticalAccuracy == nil || speed != nil && other.speed == nil
            || speedAccuracy != nil && other.speedAccuracy == nil || course != nil && other.course == nil
            || courseAccuracy != nil && other.courseAccuracy == nil || climb != nil && other.climb == nil
    }
}
