import Location

// An epoch is delivered once, as full as it gets.
//
// gpsd may report an epoch when it has a position, and again when it has learned the altitude, the course or the errors. Where a
// receiver has been seen to do so, the first report is held for the fuller one; otherwise it is delivered at once.

extension FixFilter {
    /// When `release(at:)` wants to be called, nanoseconds of CLOCK_MONOTONIC; nil where nothing is held.
    public var heldUntil: UInt64? {
        guard heldCount > 0 else { return nil }
        return histories.values.compactMap { $0.epoch?.heldUntil }.min()
    }

    /// The fixes that are held no longer at this time.
    public mutating func release(at monotonicNanoseconds: UInt64) -> [Fix] {
        release { _, until in until <= monotonicNanoseconds }
    }

    /// The fixes that are held for a receiver, or for all, as when it is gone.
    public mutating func release(of receiver: String? = nil) -> [Fix] {
        release { name, _ in receiver == nil || receiver == name }
    }

    /// The fix that is held of an epoch that ends with this report of another time; nil where none is.
    public mutating func releaseEarlier(than tpv: TPV) -> Fix? {
        guard heldCount > 0, let time = tpv.time, let epoch = histories[tpv.receiver]?.epoch, epoch.heldUntil != nil,
            time != epoch.report.time
        else { return nil }
        return release(of: tpv.receiver).first
    }

    private mutating func release(where isDue: (_ receiver: String, _ until: UInt64) -> Bool) -> [Fix] {
        guard heldCount > 0 else { return [] }
        var fixes: [Fix] = []
        for name in histories.keys.sorted() {
            guard let epoch = histories[name]?.epoch, let until = epoch.heldUntil, isDue(name, until) else { continue }
            histories[name]?.epoch?.heldUntil = nil
            heldCount -= 1
            do throws(Rejection) {
                try deliver(epoch.believed)
                fixes.append(epoch.believed.fix)
            } catch {
                rejected[error, default: 0] += 1
            }
        }
        return fixes
    }

    /// Delivers the first report of an epoch, or holds it where a fuller one is expected.
    mutating func begin(_ begun: Epoch, _ history: inout ReceiverHistory) throws(Rejection) -> Verdict {
        var epoch = begun
        let fix = epoch.believed.fix
        if let previous = history.epoch?.believed.fix.receivedAt {
            history.interval = fix.receivedAt - min(fix.receivedAt, previous)
        }
        history.pattern.beginEpoch()
        let expectsMore = epoch.report.time != nil && history.pattern.expectsMore
        if expectsMore {
            epoch.heldUntil = fix.receivedAt + longestHold(history)
            heldCount += 1
        }
        history.epoch = epoch
        if expectsMore { return choice.current == fix.receiver ? .first(fix) : .held }
        try deliver(epoch.believed)
        return .fix(fix)
    }

    /// Joins a further report of an epoch to the reports before it; nil where it is of another epoch.
    mutating func join(
        _ tpv: TPV, _ history: inout ReceiverHistory, _ instant: Instant
    ) throws(Rejection) -> Verdict? {
        guard var epoch = history.epoch, let time = tpv.time, time == epoch.report.time, tpv.mode >= 2 else {
            return nil
        }
        _ = try Self.coordinate(of: tpv)
        let isHeld = epoch.heldUntil != nil
        let whole = epoch.report.completed(by: tpv)
        // All reports together are checked as the first was, and count only where they pass.
        var joined = history
        joined.baseline = epoch.baseline
        var believed: BelievedFix
        do throws(Rejection) {
            believed = try believe(whole, &joined, instant, heardAt: instant.monotonicNanoseconds)
        } catch {
            throw isHeld ? error : .duplicateEpoch
        }
        believed.fix.receivedAt = epoch.believed.fix.receivedAt
        epoch.count += 1
        let elapsed = instant.monotonicNanoseconds - min(instant.monotonicNanoseconds, believed.fix.receivedAt)
        if elapsed <= longestHold(history), believed.fix.adds(to: epoch.believed.fix) {
            joined.pattern.note(fullerReport: epoch.count)
        }
        (epoch.report, epoch.believed) = (whole, believed)
        // What was delivered is what later fixes are judged by.
        joined.baseline = history.baseline
        if isHeld { joined.last = believed.fix }
        let isComplete = isHeld && epoch.count >= joined.pattern.expectedReports
        if isComplete {
            epoch.heldUntil = nil
            heldCount -= 1
        }
        joined.epoch = epoch
        history = joined
        guard isHeld else { throw .duplicateEpoch }
        rejected[.joinedEpoch, default: 0] += 1
        guard isComplete else { return .held }
        try deliver(believed)
        return .fix(believed.fix)
    }

    private func longestHold(_ history: ReceiverHistory) -> UInt64 {
        guard let interval = history.interval else { return limits.longestHold }
        return min(limits.longestHold, UInt64(Double(interval) * limits.holdShare))
    }
}
