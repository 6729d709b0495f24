import Location

extension ReceiverHistory {
    /// Each moment once, and in order.
    ///
    /// A log that is played in a loop never gets past this again until its time is beyond the last: it would tell the
    /// same twice. A live receiver may have been wrong before and be right now: it is believed again after a run of
    /// reports in order, where the system's clock is nearer to them, or is of no use.
    mutating func checkOrder(of fix: Fix, _ limits: FixFilter.Limits, _ moment: Moment) throws(Rejection) {
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
        let isNearer =
            abs(fix.time.seconds(since: moment.utc)) < abs(last.time.seconds(since: moment.utc))
            || moment.utc < limits.built
        guard count >= limits.fixesEarlier, isNearer else { throw .timeBackwards }
        startAgain()
    }

    /// No speed that nothing has. Both radii, at 95 %, are granted first; a receiver that insists is believed, since it
    /// may have been the earlier place that was wrong.
    mutating func checkSpeed(of fix: Fix, _ limits: FixFilter.Limits) throws(Rejection) {
        mayStartAgain = false
        guard let last, !Self.isReachable(fix, from: last, limits) else {
            elsewhere = nil
            return
        }
        var since = fix.time
        var count = 1
        if let elsewhere, fix.time > elsewhere.fix.time, Self.isReachable(fix, from: elsewhere.fix, limits) {
            since = elsewhere.since
            count = elsewhere.count + 1
        }
        elsewhere = (fix, since, count)
        guard count >= limits.fixesElsewhere, fix.time.seconds(since: since) >= limits.secondsElsewhere else {
            throw .impossibleSpeed
        }
        elsewhere = nil
    }

    private mutating func startAgain() {
        last = nil
        earlier = nil
        elsewhere = nil
    }

    private static func isReachable(_ fix: Fix, from last: Fix, _ limits: FixFilter.Limits) -> Bool {
        let uncertainty = (fix.horizontalAccuracy + last.horizontalAccuracy) / Confidence.horizontal
        let distance = fix.coordinate.distance(to: last.coordinate) - uncertainty
        return distance <= limits.speed * fix.time.seconds(since: last.time)
    }
}
