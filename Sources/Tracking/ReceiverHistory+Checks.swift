import Location

extension ReceiverHistory {
    /// Each moment once, and in order.
    ///
    /// A log that is played in a loop never gets past this again until its time is beyond the last: it would tell the
    /// same twice. A live receiver may have been wrong before and be right now: it is believed again after a run of
    /// reports in order, where the system's clock is nearer to them, or is of no use.
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
        // Of a time that the system's clock gave, the system's clock says nothing.
        let isNearer =
            abs(fix.time.seconds(since: instant.utc)) < abs(last.time.seconds(since: instant.utc))
            || instant.utc < limits.built || fix.timestampSource != last.timestampSource
        guard count >= limits.fixesEarlier, isNearer else { throw .timeBackwards }
        startAgain()
    }

    /// No speed that nothing has, and none that the receiver itself does not report. Both radii, at 95 %, are granted first;
    /// a receiver that insists is believed, since it may have been the earlier place that was wrong. One whose own speed did
    /// not explain the way while it insisted either is no longer judged by that: some always report 0.
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

    private static func isReachable(_ fix: Fix, from last: Fix, at speed: Double) -> Bool {
        let uncertainty = (fix.horizontalAccuracy + last.horizontalAccuracy) / Confidence.horizontal
        let distance = fix.coordinate.distance(to: last.coordinate) - uncertainty
        return distance <= speed * fix.time.seconds(since: last.time)
    }
}
