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
    /// Nil if the client did not ask for pauses.
    private var automaticPause: AutomaticPause?
    /// Whether only significant changes are due.
    private let isSignificant: Bool
    /// Whether the last update of full accuracy said that the machine is stationary.
    private var isReportedStationary = false
    /// The time of the epoch whose first report was delivered.
    private var deliveredFirst: UTCTime?
    /// Updates that were withdrawn before the client could read them.
    private var missed = 0

    init(_ call: Call, request: MonitorRequest, session: ClientSession) {
        self.call = call
        self.session = session
        goesOn = call.isResumed
        acceptsFirstReport = request.firstReport ?? false
        let changes = Subscription.significantChanges
        isSignificant = request.significantChanges ?? false
        subscription = Subscription(
            desiredAccuracy: request.desiredAccuracy,
            distanceFilter: max(request.distanceFilter ?? 0, isSignificant ? changes.distanceFilter ?? 0 : 0),
            interval: max(request.interval ?? 0, isSignificant ? changes.interval ?? 0 : 0))
        if request.pausesAutomatically ?? false {
            automaticPause = (request.activityType ?? .other).pauseDelay.map { AutomaticPause(after: $0) }
        }
    }

    /// Delivers the first report of an epoch if it is due and the decision allows it.
    func deliverFirst(
        _ fix: Fix, _ motion: MotionDetector.State, _ decision: Decision, sharing cache: inout EnvelopeCache
    ) {
        guard decision.access == .full, offerIfDue(fix, motion, decision, &cache) else { return }
        deliveredFirst = fix.time
    }

    /// Delivers a fix if it is due and the decision allows it.
    func deliver(
        _ fix: Fix, _ motion: MotionDetector.State, _ decision: Decision, sharing cache: inout EnvelopeCache
    ) {
        guard decision.access == .full, fix.time != deliveredFirst else { return }
        _ = offerIfDue(fix, motion, decision, &cache)
    }

    /// Offers a fix if it is due: by the options, because the stream pauses or resumes, or because the machine is stationary
    /// since the last update, or no longer.
    private func offerIfDue(
        _ fix: Fix, _ motion: MotionDetector.State, _ decision: Decision, _ cache: inout EnvelopeCache
    ) -> Bool {
        let effect = automaticPause?.receive(motion, at: fix.time) ?? .deliver
        switch effect {
        case .withhold: return false
        case .pause, .resume: subscription.note(delivered: fix)
        case .deliver:
            switch subscription.decide(fix) {
            case .deliver: break
            case .tooSoon, .tooNear:
                guard !isSignificant, cache.isStationary != isReportedStationary else { return false }
                subscription.note(delivered: fix)
            case .tooInexact: return false
            }
        }
        isReportedStationary = cache.isStationary
        guard effect != .pause else {
            offer(
                UpdateEnvelope(
                    decision.view(of: fix), decision.diagnostics, session.reported,
                    more: [Diagnostic.stationary.rawValue], isStationary: true))
            return true
        }
        offer(cache.envelope(decision, session.reported) { decision.view(of: fix) })
        return true
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
        automaticPause?.interrupt()
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

extension LocationInterface.ActivityType {
    /// Seconds for which the machine is stationary before the stream pauses; nil if it never does. Traffic lets a vehicle
    /// stand for some minutes, and an aircraft on a runway is about to move.
    fileprivate var pauseDelay: Double? {
        switch self {
        case .other, .otherNavigation: 300
        case .automotiveNavigation: 600
        case .fitness: 120
        case .airborne: nil
        }
    }
}

extension Call {
    /// Ends the call because there is no position.
    func fail(_ reason: PositionUnavailable) {
        fail(LocationInterface.Failure.positionUnknown(reason: reason.rawValue, message: reason.message))
    }
}
