import Authorization
import Location
import Tracking

/// What one recording does with fixes: pure. Who has it asks the gate at each of them.
struct RecordingTrack {
    /// What changed for the app.
    enum Change: Equatable {
        case nothing
        /// From now on nothing is recorded, and why; or for another reason than until now.
        case paused(RecordingState)
        /// Positions are recorded again.
        case resumed
    }

    /// What becomes of a fix.
    enum Outcome: Equatable {
        /// It is recorded as this.
        case record(Disclosure)
        /// It is not due, or not good enough.
        case nothing
        /// It would be, were Always confirmed: the person is to be asked.
        case ask
        /// The app may not have it, or not so: what it needs is to be found out anew.
        case review
    }

    /// What is recorded.
    let options: RecordingOptions
    /// What of the receiver it needs.
    private(set) var feed = PositionFeed.none
    /// Why nothing is recorded, as far as the gate knows; nil where something may be.
    private(set) var obstacle: RecordingState?
    private var subscription: Subscription
    private var isStarted: Bool
    /// Whether the person was asked since Always was found to be unconfirmed: nothing more is needed for that.
    private var hasAsked = false

    /// A recording that has had nothing, under this verdict.
    init(_ options: RecordingOptions, isStarted: Bool, _ verdict: RecordingVerdict) {
        self.options = options
        self.isStarted = isStarted
        subscription = Subscription(
            desiredAccuracy: options.desiredAccuracy, distanceFilter: options.distanceFilter,
            interval: options.interval)
        _ = review(verdict)
    }

    /// Stops it.
    mutating func stop() {
        isStarted = false
        feed = .none
    }

    /// Takes what bears on the app now.
    mutating func review(_ verdict: RecordingVerdict) -> Change {
        let old = obstacle
        obstacle = verdict.obstacle
        if obstacle != .alwaysUnconfirmed { hasAsked = false }
        feed = isStarted ? need(verdict) : .none
        guard isStarted, old != obstacle else { return .nothing }
        return obstacle.map(Change.paused) ?? .resumed
    }

    private func need(_ verdict: RecordingVerdict) -> PositionFeed {
        switch obstacle {
        case nil: verdict.decision.access.feed
        // What would confirm its Always is asked only when a position is due.
        case .alwaysUnconfirmed: hasAsked ? .none : verdict.accuracy
        default: .none
        }
    }

    /// What becomes of a fix, by what the gate says to it.
    mutating func receive(_ fix: Fix, _ decision: Decision) -> Outcome {
        guard feed == .full else { return .nothing }
        guard decision.access == .full else { return refuse(decision) }
        guard subscription.decide(fix) == .deliver, let disclosure = decision.view(of: fix) else { return .nothing }
        return .record(disclosure)
    }

    /// What becomes of a reduced fix.
    mutating func receive(_ reduced: ReducedFix, _ decision: Decision) -> Outcome {
        guard feed == .reduced else { return .nothing }
        guard decision.access == .reduced else { return refuse(decision) }
        guard subscription.decide(reduced) == .deliver, let disclosure = decision.view(of: reduced) else {
            return .nothing
        }
        return .record(disclosure)
    }

    /// What it had before a restart is not recorded again.
    mutating func skip(_ reduced: ReducedFix) {
        _ = subscription.decide(reduced)
    }

    private mutating func refuse(_ decision: Decision) -> Outcome {
        guard decision.refusal == .alwaysUnconfirmed, obstacle == .alwaysUnconfirmed, !hasAsked else { return .review }
        return .ask
    }

    /// The person was asked: until something changes no position is needed.
    mutating func asked() {
        hasAsked = true
        feed = .none
    }

    /// How it stands, where positions are known or not, and the journal stores or not.
    func state(hasPositions: Bool, stores: Bool) -> RecordingState {
        guard isStarted else { return .stopped }
        if let obstacle { return obstacle }
        guard stores else { return .journalUnavailable }
        return hasPositions ? .recording : .locationUnavailable
    }
}

extension Grant {
    /// Whether somebody took back what the app had: a no, or as if nobody had ever decided. That what was allowed once has
    /// ended is neither.
    var isWithdrawn: Bool {
        switch permission {
        case .denied: true
        case .notDetermined: decidedBy != .rule
        case .once, .whenInUse, .provisionalAlways, .always: false
        }
    }
}
