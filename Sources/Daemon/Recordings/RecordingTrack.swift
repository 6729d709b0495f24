import Authorization
import Location
import Tracking

/// The pure state machine of one recording: the receiver feed that it needs, why it is paused, and what happens with each
/// fix. `RecordingRegistry` owns it, and passes the gate's decision along with each fix.
struct RecordingTrack {
    /// A change of which the app is notified. The feed may change without one.
    enum Change: Equatable {
        case nothing
        /// The recording pauses, or was paused already and the reason has changed.
        case paused(RecordingState)
        /// Positions are recorded again.
        case resumed
    }

    /// The result for one fix.
    enum Outcome: Equatable {
        /// The fix is recorded as this.
        case record(Disclosure)
        /// The fix is not recorded: it is not due, not accurate enough, or not of the feed that is needed.
        case nothing
        /// The fix would be recorded if Always were confirmed: the person is to be prompted.
        case ask
        /// The gate decides otherwise than at the last review: what the recording needs is to be evaluated again.
        case review
    }

    /// The options that select which positions are recorded.
    let options: RecordingOptions
    /// The receiver feed that the recording needs.
    private(set) var feed = PositionFeed.none
    /// Why the app may record no position; nil if it may. A lack of positions, or of a journal, is no obstacle.
    private(set) var obstacle: RecordingState?
    private var subscription: Subscription
    private var isStarted: Bool
    /// Whether the person was prompted since Always was found unconfirmed. If so, no feed is needed while it is
    /// unconfirmed.
    private var hasAsked = false

    /// A recording that has received no fix yet, under this verdict.
    init(_ options: RecordingOptions, isStarted: Bool, _ verdict: RecordingVerdict) {
        self.options = options
        self.isStarted = isStarted
        subscription = Subscription(
            desiredAccuracy: options.desiredAccuracy, distanceFilter: options.distanceFilter,
            interval: options.interval)
        _ = review(verdict)
    }

    /// Stops the recording, finally.
    mutating func stop() {
        isStarted = false
        feed = .none
    }

    /// Applies the present verdict on the app.
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
        // The person is prompted to confirm Always only when a position is due, so the feed is needed until then.
        case .alwaysUnconfirmed: hasAsked ? .none : verdict.accuracy
        default: .none
        }
    }

    /// Decides what happens with a fix under the gate's decision.
    mutating func receive(_ fix: Fix, _ decision: Decision) -> Outcome {
        guard feed == .full else { return .nothing }
        guard decision.access == .full else {
            var copy = subscription
            return refuse(decision, isDue: copy.decide(fix) == .deliver)
        }
        guard subscription.decide(fix) == .deliver, let disclosure = decision.view(of: fix) else { return .nothing }
        return .record(disclosure)
    }

    /// Decides what happens with a reduced fix.
    mutating func receive(_ reduced: ReducedFix, _ decision: Decision) -> Outcome {
        guard feed == .reduced else { return .nothing }
        guard decision.access == .reduced else {
            var copy = subscription
            return refuse(decision, isDue: copy.decide(reduced) == .deliver)
        }
        guard subscription.decide(reduced) == .deliver, let disclosure = decision.view(of: reduced) else {
            return .nothing
        }
        return .record(disclosure)
    }

    /// Marks a reduced fix as already recorded, because the present one is delivered again after a restart.
    mutating func skip(_ reduced: ReducedFix) {
        _ = subscription.decide(reduced)
    }

    private func refuse(_ decision: Decision, isDue: Bool) -> Outcome {
        guard decision.refusal == .alwaysUnconfirmed, obstacle == .alwaysUnconfirmed else { return .review }
        return isDue ? .ask : .nothing
    }

    /// Records that the person was prompted: no feed is needed while Always is unconfirmed.
    mutating func asked() {
        hasAsked = true
        feed = .none
    }

    /// The state, given whether positions are available and whether the journal can store them.
    func state(hasPositions: Bool, stores: Bool) -> RecordingState {
        guard isStarted else { return .stopped }
        if let obstacle { return obstacle }
        guard stores else { return .journalUnavailable }
        return hasPositions ? .recording : .locationUnavailable
    }
}
