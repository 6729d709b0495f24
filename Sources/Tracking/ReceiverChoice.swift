import Location

/// Which of several receivers is believed: the better one, with hysteresis.
///
/// Another one takes over at once where the present one fell silent, or where it is only a replay and the other is
/// live; otherwise after a run of fixes each of which is clearly better than the present one's latest.
struct ReceiverChoice {
    /// The receiver whose fixes are delivered.
    private(set) var current: String?
    private var latest: Fix?
    private var interval: UInt64 = 0
    private var challenger: (name: String, count: Int)?

    /// Whether this fix is the chosen receiver's, or makes its receiver the chosen one.
    mutating func admits(_ fix: Fix, _ limits: FixFilter.Limits) -> Bool {
        guard let latest, current != fix.receiver else {
            choose(fix)
            return true
        }
        if isSilent(latest, at: fix.receivedAt, limits) || latest.isSimulated && !fix.isSimulated {
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
        if challenger?.name == fix.receiver { challenger = nil }
    }

    private func isSilent(_ latest: Fix, at now: UInt64, _ limits: FixFilter.Limits) -> Bool {
        now - min(now, latest.receivedAt) > max(limits.silence, 3 * min(interval, 300_000_000_000))
    }
}
