import Location

extension ReceiverHistory {
    /// Accepts each time only once, and only in order.
    ///
    /// A log that is replayed in a loop is rejected until its time exceeds the last one, because it would deliver the
    /// same fixes twice. A live receiver may have been wrong before and be right now: it is believed again after
    /// several consecutive reports in order, if the system clock is nearer to them or is of no use.
    mutating func checkOrder(of fix: Fix, _ limits: FixFilter.Limits, _ instant: Instant) throws(Rejection) {
        guard let last else { return }
        if fix.time > last.time {
            earlier = nil
            return
        }
        guard fix.time < last.time else { throw .duplicateEpoch }
        if mayStartAgain, fix.isSimulated {
            startAgain()
            return
        }
        guard !fix.isSimulated else { throw .timeBackwards }
        let count: Int
        if let earlier, fix.time <= earlier.time {
            count = fix.time == earlier.time ? earlier.count : 1
        } else {
            count = (earlier?.count ?? 0) + 1
        }
        earlier = (fix.time, count)
        // The system clock cannot confirm a time that came from the system clock itself.
        let isNearer =
            abs(fix.time.seconds(since: instant.utc)) < abs(last.time.seconds(since: instant.utc))
            || instant.utc < limits.built || fix.timestampSource != last.timestampSource
        guard count >= limits.fixesEarlier, isNearer else { throw .timeBackwards }
        startAgain()
    }

    /// Rejects a speed that is impossible, or that exceeds the receiver's own reported speed. Both radii, at 95 %, are
    /// subtracted first. A receiver that stays at the new place is believed, because the earlier place may have been
    /// wrong. If the receiver's reported speed did not explain its movement during that time either, it is no longer
    /// used: some receivers always report 0.
    mutating func checkSpeed(of fix: Fix, _ limits: FixFilter.Limits) throws(Rejection) {
        mayStartAgain = false
        guard let last else { return }
        let reported = ReportedSpeed(elsewhere?.reported, from: elsewhere?.fix ?? last, to: fix)
        if Self.isReachable(fix, from: last, at: hasWrongSpeed ? limits.speed : reported.bound(limits)) {
            elsewhere = nil
            return
        }
        var here = Elsewhere(fix: fix, since: fix.time, reported: reported)
        if let elsewhere, fix.time > elsewhere.fix.time,
            Self.isReachable(fix, from: elsewhere.fix, at: limits.speed)
        {
            here.since = elsewhere.since
            here.count = elsewhere.count + 1
            let step = ReportedSpeed(nil, from: elsewhere.fix, to: fix).bound(limits)
            here.speedExplains = elsewhere.speedExplains && Self.isReachable(fix, from: elsewhere.fix, at: step)
        }
        elsewhere = here
        guard here.count >= limits.fixesElsewhere, fix.time.seconds(since: here.since) >= limits.secondsElsewhere else {
            throw .impossibleSpeed
        }
        if !here.speedExplains { hasWrongSpeed = true }
        elsewhere = nil
    }

    private mutating func startAgain() {
        last = nil
        earlier = nil
        elsewhere = nil
    }

    static func isReachable(_ fix: Fix, from last: Fix, at speed: Double) -> Bool {
        let uncertainty = (fix.horizontalAccuracy + last.horizontalAccuracy) / Confidence.horizontal
        let distance = fix.coordinate.distance(to: last.coordinate) - uncertainty
        return distance <= speed * fix.time.seconds(since: last.time)
    }
}

extension FixFilter.Limits {
    /// Whether the machine can have moved from one fix to the next: the check that every delivered fix has passed,
    /// unless the receiver stayed at a place that was not reachable.
    public func isReachable(_ fix: Fix, from previous: Fix) -> Bool {
        let bound = ReportedSpeed(nil, from: previous, to: fix).bound(self)
        return ReceiverHistory.isReachable(fix, from: previous, at: bound)
    }
}
