import Authorization
import Interfaces
import Location
import Platform
import Tracking
import Varlink

/// A client's call of `Monitor`: decides for each fix whether it is due. The caller passes the gate's decision with
/// each delivery.
@DaemonActor
final class PositionStream: LocationCall {
    let call: Call
    let session: ClientSession
    var feed = PositionFeed.none
    /// Why the stream gets no position although the app is authorized; nil if it gets positions.
    var pause: Decision.Reason?
    /// Whether the stream was open before the daemon restarted and was not evaluated since.
    var goesOn: Bool
    /// Whether the update that there is no position is delayed.
    var isQuiet = false
    /// Whether the client wants the first report of each epoch.
    let acceptsFirstReport: Bool
    private var subscription: Subscription
    /// The time of the epoch whose first report was delivered.
    private var deliveredFirst: UTCTime?
    /// Updates that were withdrawn before the client could read them.
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

    /// Delivers the first report of an epoch if it is due and the decision allows it.
    func deliverFirst(_ fix: Fix, _ decision: Decision, sharing cache: inout EnvelopeCache) {
        guard decision.access == .full, subscription.decide(fix) == .deliver else { return }
        deliveredFirst = fix.time
        offer(cache.envelope(decision, session.reported) { decision.view(of: fix) })
    }

    /// Delivers a fix if it is due and the decision allows it.
    func deliver(_ fix: Fix, _ decision: Decision, sharing cache: inout EnvelopeCache) {
        guard decision.access == .full, fix.time != deliveredFirst, subscription.decide(fix) == .deliver else { return }
        offer(cache.envelope(decision, session.reported) { decision.view(of: fix) })
    }

    /// Delivers a reduced fix if it is due and the decision allows it.
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

    /// Sends why there is no position. A position that is not sent yet is withdrawn, because it would arrive after the
    /// news that there is none.
    func notify(_ reason: PositionUnavailable, _ decision: Decision) {
        notify(decision, [Diagnostic.locationUnavailable.rawValue, reason.rawValue])
    }

    /// Sends why the client gets no position at present.
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
