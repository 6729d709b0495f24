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
    /// Nil if the client did not request pauses.
    private var automaticPause: AutomaticPause?
    /// Whether only significant changes are due.
    let isSignificant: Bool
    /// Whether the stream was shown no fix since it began, or since it gets positions again.
    private(set) var isUnserved = true
    /// Whether the last update of full accuracy said that the machine is stationary.
    private var isReportedStationary = false
    /// The time of the epoch whose first report was delivered.
    private var deliveredFirst: UTCTime?
    /// Updates that were withdrawn before the client could read them.
    private var missed = 0
    /// Nil if the client wants each position at once.
    private var delayed: DelayedPositions<DelayedPosition>?
    /// Whether the next position is sent at once, because the last update had none.
    private var isExpected = true

    private let authorizer: Authorizer
    /// Called when positions are delayed until this instant of CLOCK_MONOTONIC in nanoseconds.
    private let onDelay: @DaemonActor (UInt64) -> Void

    init(
        _ call: Call, request: MonitorRequest, session: ClientSession, authorizer: Authorizer,
        onDelay: @escaping @DaemonActor (UInt64) -> Void
    ) {
        self.call = call
        self.authorizer = authorizer
        self.onDelay = onDelay
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
        if let delay = request.maximumDelay, delay > 0 {
            delayed = DelayedPositions(delay: Duration.seconds(delay).nanoseconds)
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
        isUnserved = false
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
        let isPausing = effect == .pause
        let position = DelayedPosition(
            subject: .full(fix), dueAt: authorizer.instant.monotonicNanoseconds,
            more: isPausing ? [Diagnostic.stationary.rawValue] : [], isStationary: isPausing || cache.isStationary)
        guard !isPausing, delayed == nil else {
            deliver(position, decision)
            return true
        }
        offer(cache.envelope(decision, session.reported) { decision.view(of: fix) })
        return true
    }

    /// Delivers a reduced fix if it is due and the decision allows it.
    func deliver(_ reduced: ReducedFix, _ decision: Decision, sharing cache: inout EnvelopeCache) {
        guard decision.access == .reduced, subscription.decide(reduced) == .deliver else { return }
        guard delayed == nil else {
            let now = authorizer.instant.monotonicNanoseconds
            return deliver(DelayedPosition(subject: .reduced(reduced), dueAt: now), decision)
        }
        offer(cache.envelope(decision, session.reported) { decision.view(of: reduced) })
    }

    private func offer(_ envelope: UpdateEnvelope) {
        session.countPosition(envelope.accuracy)
        call.offer(missed: takeMissed()) { envelope.reply(dropped: $0) }
    }

    // Delayed positions

    /// When the delayed positions have to be sent, in nanoseconds of CLOCK_MONOTONIC; nil if there are none.
    var delayedUntil: UInt64? { delayed?.deadline }

    private func mayHave(_ position: DelayedPosition) -> Bool {
        if case .full = position.subject { authorizer.couldHaveFull(session, at: position.dueAt) } else { true }
    }

    /// Delivers a position that is due: at once or, if the client accepts a delay, later.
    private func deliver(_ position: DelayedPosition, _ decision: Decision) {
        guard delayed != nil else {
            if let envelope = position.envelope(decision, session.reported) { offer(envelope) }
            return
        }
        let isFull = delayed?.append(position, at: position.dueAt) == true
        if isFull || isExpected { return sendDelayed(decision) }
        if let deadline = delayed?.deadline { onDelay(deadline) }
    }

    /// Sends the delayed positions together. Each is decided again: those that the client may not have now, or not
    /// without interruption since they were due, are dropped. So are the oldest, if the client has not read the ones
    /// before and there are too many.
    func sendDelayed(_ decision: Decision) {
        guard delayed?.isEmpty == false else { return }
        let offered = call.discardOffered()
        if offered > 0 { missed += offered - 1 + (delayed?.putBack() ?? 0) }
        let positions = delayed?.remove() ?? []
        let envelopes = positions.compactMap { position in
            mayHave(position) ? position.envelope(decision, session.reported) : nil
        }
        missed += positions.count - envelopes.count
        guard !envelopes.isEmpty else { return }
        isExpected = false
        for envelope in envelopes { session.countPosition(envelope.accuracy) }
        call.offer(missed: takeMissed()) { dropped in
            EncodedReply(joining: envelopes.enumerated().map { $1.reply(dropped: $0 == 0 ? dropped : 0) })
        }
    }

    /// When a position can be due, in nanoseconds of CLOCK_MONOTONIC.
    var dueAt: UInt64 { subscription.dueAt }

    /// The stream gets positions again: the next fix is awaited.
    func awaitPosition() { isUnserved = true }

    /// Sends why there is no position. A position that is not sent yet is withdrawn, because it would arrive after the
    /// news that there is none.
    func notify(_ reason: PositionUnavailable, _ decision: Decision) {
        notify(decision, [Diagnostic.locationUnavailable.rawValue, reason.rawValue])
    }

    /// Sends why the client gets no position at present.
    func notify(_ decision: Decision, _ more: [String] = []) {
        sendDelayed(decision)
        withdraw()
        automaticPause?.interrupt()
        isQuiet = false
        let envelope = UpdateEnvelope(nil, decision.diagnostics, session.reported, more: more)
        call.reply(envelope.reply(dropped: takeMissed()))
    }

    /// Returns how many updates the client misses, for the reply that reports them.
    private func takeMissed() -> Int {
        defer { missed = 0 }
        return missed
    }

    func withdraw() {
        isExpected = true
        let offered = call.discardOffered()
        guard let lost = delayed?.withdraw(offered: offered > 0) else { return missed += offered }
        // Of the delayed positions the offered reply has several, and the client misses those of earlier replies as well.
        missed += max(0, offered - 1) + lost
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
