import Location

// An epoch is delivered once, as complete as possible.
//
// gpsd may report an epoch as soon as it has a position, and again when it has received the altitude, the course or the
// errors. If a receiver is known to do so, the first report is held for the more complete one; otherwise it is
// delivered at once.

extension FixFilter {
    /// When `release(at:)` has to be called, nanoseconds of CLOCK_MONOTONIC; nil if nothing is held.
    public var heldUntil: UInt64? {
        guard heldCount > 0 else { return nil }
        return histories.values.compactMap { $0.epoch?.heldUntil }.min()
    }

    /// The fixes whose hold ends at this time.
    public mutating func release(at monotonicNanoseconds: UInt64) -> [Fix] {
        release { _, until in until <= monotonicNanoseconds }
    }

    /// The fixes held for a receiver, or for all receivers, for example when the receiver was removed.
    public mutating func release(of receiver: String? = nil) -> [Fix] {
        release { name, _ in receiver == nil || receiver == name }
    }

    /// The fix held for an epoch that ends because this report has another time; nil if there is none.
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

    /// Delivers the first report of an epoch, or holds it if a more complete one is expected.
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

    /// Adds a further report of an epoch to the earlier ones; nil if it belongs to another epoch.
    mutating func join(
        _ tpv: TPV, _ history: inout ReceiverHistory, _ instant: Instant
    ) throws(Rejection) -> Verdict? {
        guard var epoch = history.epoch, let time = tpv.time, time == epoch.report.time, tpv.mode >= 2 else {
            return nil
        }
        _ = try Self.coordinate(of: tpv)
        let isHeld = epoch.heldUntil != nil
        let whole = epoch.report.completed(by: tpv)
        // The combined reports are checked as the first one was, and are used only if they pass.
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
        // Later fixes are checked against the delivered fix.
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
