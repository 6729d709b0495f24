import Authorization
import Interfaces
import Location
import Platform
import Tracking
import Varlink

/// `io.waymark.Location`: handles its calls and feeds its streams. Each delivery is decided by the authorizer.
///
/// A stream stays open as long as its app is authorized. While the app may have no positions temporarily (because it is
/// not in use), the stream sends the reason once and continues later. If the authorization itself is revoked, the
/// stream ends with the error that a new call would get.
@DaemonActor
final class LocationService {
    let pipeline: Pipeline
    let reduced: ReducedReceiver
    let authorizer: Authorizer
    let clients: Clients
    let prompts: Prompts
    let holds: Holds
    let clock: any TimeSource
    /// Whether the machine moves, by all fixes since the start.
    var motion = MotionDetector()
    var streams: [ObjectIdentifier: PositionStream] = [:]
    /// The streams of significant changes with full accuracy.
    private var occasionalStreams: [ObjectIdentifier: PositionStream] = [:]
    var queries: [ObjectIdentifier: PositionQuery] = [:]
    var skyStreams: [ObjectIdentifier: SkyStream] = [:]
    var headingStreams: [ObjectIdentifier: HeadingStream] = [:]
    var visitStreams: [ObjectIdentifier: VisitStream] = [:]
    /// The visits of those that monitor them.
    let visits: VisitBooks
    /// The apps that are woken for visits, without a stream.
    weak var wakes: WakePositions?
    /// The open authorization streams by session. A connection has one call at a time.
    var authorizationStreams: [ObjectIdentifier: (call: Call, reported: AuthorizationReport)] = [:]
    /// The calls of `HoldInUse`.
    var heldCalls: [Policy.HoldID: (call: Call, session: ClientSession)] = [:]
    /// Checks the streams that were restored after a restart and have sent nothing since.
    var quietTimer: TimerSource?
    /// Sends delayed positions.
    var delayTimer: TimerSource?
    /// When it expires, in nanoseconds of CLOCK_MONOTONIC, while it is armed.
    var delayedUntil = UInt64.max
    /// Connections closed since the start because a queued position may not be seen by its client any more.
    var withdrawn = 0

    init(
        pipeline: Pipeline, reduced: ReducedReceiver, authorizer: Authorizer, clients: Clients, prompts: Prompts,
        holds: Holds, visits: VisitBooks, clock: any TimeSource
    ) throws(SystemError) {
        self.pipeline = pipeline
        self.reduced = reduced
        self.authorizer = authorizer
        self.clients = clients
        self.prompts = prompts
        self.holds = holds
        self.visits = visits
        self.clock = clock
        quietTimer = try TimerSource(accuracy: .milliseconds(500)) { [weak self] in self?.endQuiet() }
        delayTimer = try TimerSource(accuracy: .milliseconds(50)) { [weak self] in self?.sendDelayed() }
    }

    /// The number of open streams of positions, satellites, headings and visits.
    var streamCount: Int { streams.count + skyStreams.count + headingStreams.count + visitStreams.count }

    /// Ends a call with the gate's refusal.
    func refuse(_ call: Call, _ reason: Decision.Reason, _ session: ClientSession) {
        call.discardOffered()
        call.fail(reason, complaint: session.complaint)
    }

    /// Ends a call for which the daemon lacks resources.
    func fail(_ call: Call, _ error: SystemError) {
        Log.error("cannot set the timer of a call: \(error)")
        call.fail(LocationInterface.Failure.timeout(message: "The daemon is short of memory. Try again later."))
    }
}

// Lifetime of calls

extension LocationService {
    /// Registers a call, which gets positions until `end` is called or its client disconnects.
    func begin(_ waiting: some LocationCall) {
        let call = waiting.call
        waiting.session.locationCall = waiting
        call.onEnd = { [weak self, unowned call] in self?.end(call) }
    }

    /// Removes a call.
    func end(_ call: Call) {
        let key = ObjectIdentifier(call)
        let removed: (any LocationCall)? =
            streams.removeValue(forKey: key) ?? queries.removeValue(forKey: key) ?? skyStreams.removeValue(forKey: key)
            ?? headingStreams.removeValue(forKey: key) ?? visitStreams.removeValue(forKey: key)
        guard let removed else { return }
        if removed.session.locationCall === removed { removed.session.locationCall = nil }
        use(.none, for: removed)
    }

    /// Requests the receiver feed that a call needs, and releases the former one.
    func use(_ feed: PositionFeed, for call: some LocationCall) {
        let old = call.feed
        guard feed != old else { return }
        call.feed = feed
        let receivers = Receivers(full: pipeline, reduced: reduced)
        guard let stream = call as? PositionStream, stream.isSignificant else {
            receivers.need(feed)
            receivers.release(old)
            return
        }
        // It needs the receiver now and then only, see `ReceiverSleep`.
        occasionalStreams[ObjectIdentifier(stream)] = feed == .full ? stream : nil
        if feed != .full { receivers.need(feed) }
        if old != .full { receivers.release(old) }
        pipeline.sleep?.review()
    }

    /// What the streams of significant changes need of the receiver.
    var occasionalNeeds: [ReceiverPlan.Need] {
        guard let dueAt = occasionalStreams.values.lazy.map(\.dueAt).min() else { return [] }
        return [occasionalStreams.values.contains { $0.isUnserved } ? .fix : .significantChange(dueAt: dueAt)]
    }

    // Changes of authorization

    /// Reviews the positions of some clients, whose rights may have changed: offered positions that they may no longer
    /// receive are withdrawn before anything else is sent.
    func reviewPositions(of sessions: [ClientSession]) {
        let calls = sessions.compactMap(\.locationCall)
        let now = authorizer.instant
        for call in calls where authorizer.decide(for: call.session, at: now).access.feed != call.feed {
            call.withdraw()
        }
        withdraw(from: sessions.filter { authorizer.decide(for: $0, at: now).access.feed < $0.given })
        for call in calls where !call.call.isOver {
            switch call {
            case let stream as PositionStream: review(stream)
            case let query as PositionQuery: review(query)
            case let sky as SkyStream: review(sky)
            case let heading as HeadingStream: review(heading)
            case let visits as VisitStream: review(visits)
            default: break
            }
        }
    }

    func reviewPositions(of session: ClientSession) { reviewPositions(of: [session]) }

    func reviewPositions(of app: AppID) { reviewPositions(of: clients.sessions(of: app)) }

    /// Closes connections with a message that is already partly in the socket, because it cannot be withdrawn in part.
    private func withdraw(from sessions: [ClientSession]) {
        for session in sessions {
            guard let connection = session.connection, connection.isOpen, !connection.isDrained else { continue }
            withdrawn += 1
            connection.close(.revoked)
        }
    }

    /// Whether a client has a call that depends on its identity.
    func concerns(_ session: ClientSession) -> Bool {
        session.locationCall != nil || authorizationStreams[ObjectIdentifier(session)] != nil
    }
}
