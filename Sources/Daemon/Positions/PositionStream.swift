import Authorization
import Interfaces
import Location
import Platform
import Tracking
import Varlink

/// A client's call of `Monitor`: decides what of each fix is due. Who calls asks the gate at each delivery.
@DaemonActor
final class PositionStream: LocationCall {
    let call: Call
    let session: ClientSession
    var feed = PositionFeed.none
    /// Why there is nothing at present although the app is authorized; nil where it gets positions.
    var pause: Decision.Reason?
    /// Whether it was there before the daemon started, and has not been looked at since.
    var goesOn: Bool
    /// Whether it is not told yet that there is no position.
    var isQuiet = false
    /// Whether it wants each epoch with its first report.
    let acceptsFirstReport: Bool
    private var subscription: Subscription
    /// The time of the epoch that it had with its first report.
    private var deliveredFirst: UTCTime?
    /// Updates that were taken back before the client could read them.
    private var missed = 0

    init(_ call: Call, request: MonitorRequest, session: ClientSession) {
        self.call = call
        self.session = session
        goesOn = call.isResumed
        acceptsFirstReport = request.firstReport ?? false
        subscription = Subscription(
            desiredAccuracy: request.desiredAccuracy, distanceFilter: request.distanceFilter ?? 0,
            interval: request.interval ?? 0)
    }

    /// Gives the client the first report of an epoch where it is due and the decision lets it through.
    func deliverFirst(_ fix: Fix, _ decision: Decision, sharing cache: inout EnvelopeCache) {
        guard decision.access == .full, subscription.decide(fix) == .deliver else { return }
        deliveredFirst = fix.time
        offer(cache.envelope(decision, session.reported) { decision.view(of: fix) })
    }

    /// Gives the client a fix where it is due and the decision lets it through.
    func deliver(_ fix: Fix, _ decision: Decision, sharing cache: inout EnvelopeCache) {
        guard decision.access == .full, fix.time != deliveredFirst, subscription.decide(fix) == .deliver else { return }
        offer(cache.envelope(decision, session.reported) { decision.view(of: fix) })
    }

    /// Gives the client a reduced fix where it is due and the decision lets it through.
    func deliver(_ reduced: ReducedFix, _ decision: Decision, sharing cache: inout EnvelopeCache) {
        guard decision.access == .reduced, subscription.decide(reduced) == .deliver else { return }
        offer(cache.envelope(decision, session.reported) { decision.view(of: reduced) })
    }

    private func offer(_ envelope: UpdateEnvelope) {
        session.countPosition(envelope.accuracy)
        let missed = self.missed
        self.missed = 0
        call.offer { dropped in envelope.reply(dropped: dropped + missed) }
    }

    /// Tells the client that there is no position, and why not; a position that it has not read yet is taken back, so
    /// that it does not come after the news of its end.
    func notify(_ reason: PositionUnavailable, _ decision: Decision) {
        notify(decision, [Diagnostic.locationUnavailable.rawValue, reason.rawValue])
    }

    /// Tells the client that it gets nothing now, and why not.
    func notify(_ decision: Decision, _ more: [String] = []) {
        withdraw()
        isQuiet = false
        let envelope = UpdateEnvelope(nil, decision.diagnostics, session.reported, more: more)
        let missed = self.missed
        self.missed = 0
        call.reply(envelope.reply(dropped: missed))
    }

    func withdraw() {
        missed += call.discardOffered()
    }
}

extension Call {
    /// Ends the call because there is no position.
    func fail(_ reason: PositionUnavailable) {
        fail(LocationInterface.Failure.positionUnknown(reason: reason.rawValue, message: reason.message))
    }
}
