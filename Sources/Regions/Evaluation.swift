import Location

/// What a fix says about a region.
struct Evaluation {
    /// The fix's time.
    var time: UTCTime
    /// Metres to the region's border, negative inside.
    var distance: Double
    /// Metres, the fix's standard deviation along one axis.
    var deviation: Double
    /// How the machine came here; nil if that is not known.
    var step: RouteStep?
    /// Whether the machine is stationary: its fixes differ by their errors only, and those last for minutes.
    var isStationary = false
    var rules: RegionMonitor.Rules

    /// The side on which the machine is with a probability of 0.95; nil if neither.
    var side: RegionState? {
        if distance >= RegionMonitor.likely * deviation { return .outside }
        return distance <= -RegionMonitor.likely * deviation ? .inside : nil
    }

    /// Whether the probability of one of the sides is 0.999.
    var isCertain: Bool { abs(distance) >= RegionMonitor.certain * deviation }

    /// Whether the fix's coordinate is on the other side of the border than this state.
    func contradicts(_ state: RegionState) -> Bool {
        switch state {
        case .inside: distance > 0
        case .outside: distance < 0
        case .unknown: false
        }
    }
}

extension MonitoredRegion {
    /// Applies what a fix says, and appends what is to be reported.
    mutating func apply(_ fix: Evaluation, _ events: inout [RegionEvent]) {
        noteCrossing(fix)
        switch fix.side {
        case nil: waitForDecision(fix, &events)
        case let side? where side == state:
            (evidence, certainty, undecidedSince) = (nil, nil, nil)
            notePassage(fix, &events)
        case let side?:
            undecidedSince = nil
            if case .unknown = state {
                determine(side, fix, &events)
            } else {
                evidence = evidence ?? fix.time
                certainty = fix.isCertain ? certainty ?? fix.time : nil
                if isConfirmed(fix) { change(to: side, fix, &events) }
            }
        }
        reportStay(at: fix.time, &events)
    }

    /// The state cannot be known any more.
    mutating func becomeUnknown(_ doubt: RegionDoubt, at time: UTCTime, _ events: inout [RegionEvent]) {
        if case .unknown(let earlier) = state {
            guard earlier == .undetermined, doubt == .insufficientAccuracy else { return }
        }
        events.append(RegionEvent(region: number, kind: .unknown(doubt), time: time))
        state = .unknown(doubt)
        (evidence, certainty, undecidedSince, crossed, stay) = (nil, nil, nil, nil, nil)
    }

    /// Whether the fixes on the other side suffice for a change.
    private func isConfirmed(_ fix: Evaluation) -> Bool {
        func lasts(_ since: UTCTime?, _ seconds: Double) -> Bool {
            since.map { fix.time.seconds(since: $0) >= seconds } ?? false
        }
        guard fix.isStationary else { return fix.isCertain || lasts(evidence, fix.rules.confirmation) }
        if fix.isCertain, abs(fix.distance) > fix.rules.stationaryError { return true }
        return lasts(certainty, fix.rules.stationaryCertainty) || lasts(evidence, fix.rules.stationaryConfirmation)
    }

    private mutating func waitForDecision(_ fix: Evaluation, _ events: inout [RegionEvent]) {
        (evidence, certainty) = (nil, nil)
        // What was decided stays true while the machine is stationary, however inexact the fixes are.
        if fix.isStationary, state.isKnown { return undecidedSince = nil }
        let since = undecidedSince ?? fix.time
        undecidedSince = since
        guard fix.time.seconds(since: since) >= fix.rules.undecidedAfter else { return }
        becomeUnknown(.insufficientAccuracy, at: fix.time, &events)
        undecidedSince = since
    }

    private mutating func determine(_ side: RegionState, _ fix: Evaluation, _ events: inout [RegionEvent]) {
        events.append(RegionEvent(region: number, kind: .determined(side), time: fix.time))
        state = side
        (evidence, certainty, crossed) = (nil, nil, nil)
        stay = side == .inside ? Stay(since: fix.time, isReported: true) : nil
    }

    private mutating func change(to side: RegionState, _ fix: Evaluation, _ events: inout [RegionEvent]) {
        // A stay that was shorter than the dwell time was never reported, and neither is its end.
        let wasReported = stay?.isReported ?? true
        if side == .inside {
            stay = Stay(since: fix.time, crossed: crossed, isReported: false)
        } else {
            stay = nil
            if wasReported {
                events.append(RegionEvent(region: number, kind: .left, time: fix.time, crossed: crossed))
            }
        }
        state = side
        (evidence, certainty, crossed) = (nil, nil, nil)
    }

    private mutating func reportStay(at time: UTCTime, _ events: inout [RegionEvent]) {
        guard var stay, let deadline, time >= deadline else { return }
        if !stay.isReported {
            stay.isReported = true
            events.append(RegionEvent(region: number, kind: .entered, time: time, crossed: stay.crossed))
            self.stay = stay
            reportStay(at: time, &events)
        } else {
            stay.hasLoitered = true
            events.append(RegionEvent(region: number, kind: .loitered, time: time, crossed: stay.crossed))
            self.stay = stay
        }
    }

    /// Remembers when the border was crossed, until the change is decided or a fix is back on the earlier side.
    private mutating func noteCrossing(_ fix: Evaluation) {
        guard fix.contradicts(state) else {
            crossed = nil
            return
        }
        guard crossed == nil, let step = fix.step else { return }
        let before = region.signedDistance(to: step.start)
        guard (before < 0) != (fix.distance < 0) else { return }
        let share = abs(before) / (abs(before) + abs(fix.distance))
        crossed = step.time(at: share.isFinite ? share : 0)
    }

    /// Reports a passage to the other side and back between two fixes. A region with a dwell time has no passage.
    private mutating func notePassage(_ fix: Evaluation, _ events: inout [RegionEvent]) {
        guard !fix.isStationary, let step = fix.step, fix.side == state, dwell == 0 || state == .inside else { return }
        guard let passage = step.passage(through: region, fix) else { return }
        if state == .inside, let stay, !stay.isReported {
            // The app does not know of the stay yet: another one begins behind the gap, and has to last as long.
            self.stay = Stay(since: fix.time, crossed: step.time(at: passage.upperBound), isReported: false)
            return
        }
        let (first, second) = state == .outside ? (RegionEvent.Kind.entered, .left) : (.left, RegionEvent.Kind.entered)
        for (kind, share) in [(first, passage.lowerBound), (second, passage.upperBound)] {
            events.append(
                RegionEvent(
                    region: number, kind: kind, time: fix.time, crossed: step.time(at: share), passedThrough: true))
        }
        if state == .inside { stay = Stay(since: fix.time, isReported: true) }
    }
}
