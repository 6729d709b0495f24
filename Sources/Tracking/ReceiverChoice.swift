import Location

/// Chooses the best of several receivers, with hysteresis.
///
/// Another receiver is chosen at once if the current one falls silent or reports that it has no fix, or if the current
/// one is a replay and the other is live. Otherwise it is chosen after several consecutive fixes that are each clearly
/// better than the current one's latest.
struct ReceiverChoice {
    /// The receiver whose fixes are delivered.
    private(set) var current: String?
    private var latest: Fix?
    private var interval: UInt64 = 0
    private var challenger: (name: String, count: Int)?
    /// The number of the current receiver's reports without a fix since its latest fix. A report without a time may
    /// belong to an epoch whose fix is still to come, so two of these are needed.
    private var reportsWithoutFix = 0
    private static let sufficientReportsWithoutFix = 2

    /// Whether this fix comes from the chosen receiver, or makes its receiver the chosen one.
    mutating func admits(_ fix: Fix, _ limits: FixFilter.Limits) -> Bool {
        guard let latest, current != fix.receiver else {
            choose(fix)
            return true
        }
        if isSilent(latest, at: fix.receivedAt, limits) || latest.isSimulated && !fix.isSimulated || hasLostFix {
            choose(fix)
            return true
        }
        if fix.isSimulated && !latest.isSimulated { return false }
        guard fix.horizontalAccuracy < limits.clearlyBetter * latest.horizontalAccuracy else {
            if challenger?.name == fix.receiver { challenger = nil }
            return false
        }
        let count = (challenger?.name == fix.receiver ? challenger?.count ?? 0 : 0) + 1
        challenger = (fix.receiver, count)
        guard count >= limits.betterFixes else { return false }
        choose(fix)
        return true
    }

    /// A receiver reports that it has no fix, at this time if the report has one.
    mutating func noteNoFix(of receiver: String, at time: UTCTime?) {
        guard current == receiver, let latest else { return }
        guard let time else {
            reportsWithoutFix += 1
            return
        }
        if time > latest.time { reportsWithoutFix = Self.sufficientReportsWithoutFix }
    }

    private var hasLostFix: Bool { reportsWithoutFix >= Self.sufficientReportsWithoutFix }

    mutating func forget(_ receiver: String) {
        if challenger?.name == receiver { challenger = nil }
        guard current == receiver else { return }
        current = nil
        latest = nil
    }

    private mutating func choose(_ fix: Fix) {
        if current == fix.receiver, let latest { interval = fix.receivedAt - min(fix.receivedAt, latest.receivedAt) }
        if current != fix.receiver { interval = 0 }
        current = fix.receiver
        latest = fix
        reportsWithoutFix = 0
        if challenger?.name == fix.receiver { challenger = nil }
    }

    private func isSilent(_ latest: Fix, at now: UInt64, _ limits: FixFilter.Limits) -> Bool {
        now - min(now, latest.receivedAt) > max(limits.silence, 3 * min(interval, 300_000_000_000))
    }
}
