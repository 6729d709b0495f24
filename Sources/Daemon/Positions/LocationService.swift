import Authorization
import Interfaces
import Location
import Platform
import Varlink

/// `io.waymark.Location`: answers its calls and feeds its streams, each delivery after the authorizer was asked.
///
/// A stream is open as long as its app is authorized. While the app may have nothing for the moment (it is not in use)
/// it stays, says why once and goes on later; where the authorization itself is gone it ends with the error that a
/// new call gets.
@DaemonActor
final class LocationService {
    let pipeline: Pipeline
    let reduced: ReducedReceiver
    let authorizer: Authorizer
    let clock: any TimeSource
    var streams: [ObjectIdentifier: PositionStream] = [:]
    var queries: [ObjectIdentifier: PositionQuery] = [:]
    var skyStreams: [ObjectIdentifier: SkyStream] = [:]
    /// By the session: a connection has one call at a time.
    var authorizationStreams: [ObjectIdentifier: (call: Call, reported: AuthorizationReport)] = [:]
    /// Looks again at the streams that went on after a restart and have had nothing to tell since.
    var quietTimer: TimerSource?
    /// Connections closed since the start because a position that may not be seen any more waited to be sent.
    var withdrawn = 0

    init(
        pipeline: Pipeline, reduced: ReducedReceiver, authorizer: Authorizer, clock: any TimeSource
    ) throws(SystemError) {
        self.pipeline = pipeline
        self.reduced = reduced
        self.authorizer = authorizer
        self.clock = clock
        quietTimer = try TimerSource(accuracy: .milliseconds(500)) { [weak self] in self?.endQuiet() }
    }

    /// Streams of positions or satellites that are open.
    var streamCount: Int { streams.count + skyStreams.count }

    /// Ends a call with the gate's refusal.
    func refuse(_ call: Call, _ reason: Decision.Reason, _ session: ClientSession) {
        call.discardOffered()
        call.fail(reason, complaint: session.complaint)
    }

    /// Ends a call for which the daemon has no room.
    func fail(_ call: Call, _ error: SystemError) {
        Log.error("a call cannot wait: \(error)")
        call.fail(LocationInterface.Failure.timeout(message: "The daemon is short of memory. Try again later."))
    }
}

// Lifetime of calls

extension LocationService {
    /// The call gets positions until `end`, or its client goes away.
    func begin(_ waiting: some LocationCall) {
        let call = waiting.call
        waiting.session.locationCall = waiting
        call.onEnd = { [weak self, unowned call] in self?.end(call) }
    }

    /// Lets go of a call.
    func end(_ call: Call) {
        let key = ObjectIdentifier(call)
        let removed: (any LocationCall)? =
            streams.removeValue(forKey: key) ?? queries.removeValue(forKey: key) ?? skyStreams.removeValue(forKey: key)
        guard let removed else { return }
        if removed.session.locationCall === removed { removed.session.locationCall = nil }
        use(.none, for: removed)
    }

    /// Sees to it that the receiver is there that a call needs.
    func use(_ feed: PositionFeed, for call: some LocationCall) {
        let old = call.feed
        guard feed != old else { return }
        call.feed = feed
        switch feed {
        case .none: break
        case .full: pipeline.need()
        case .reduced: reduced.need()
        }
        switch old {
        case .none: break
        case .full: pipeline.release()
        case .reduced: reduced.release()
        }
    }

    // What clients may have has changed

    /// What some clients may have has changed: what was offered to them and may not be seen any more is taken back, before
    /// anything else leaves.
    private func review(_ sessions: [ClientSession]) {
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
            default: break
            }
        }
    }

    /// What is written for a client and does not fit into its socket cannot be taken back in part: the connection ends.
    private func withdraw(from sessions: [ClientSession]) {
        for session in sessions {
            guard let connection = session.connection, connection.isOpen, !connection.isDrained else { continue }
            withdrawn += 1
            connection.close(.revoked)
        }
    }

    /// What an app may have has changed, or whether it is in use.
    func authorizationChanged(of app: AppID) {
        // Positions first: what is less exact from now on is so before the app hears of it.
        review(sessions(of: app))
        authorizationChanged(for: sessions(of: app))
    }

    /// An app gets nothing from now on, or positions again.
    func accessChanged(of app: AppID) { review(sessions(of: app)) }

    /// A connection is of another app now, or of none.
    func identityChanged(_ session: ClientSession) {
        review([session])
        authorizationChanged(for: [session])
    }

    /// Something changed that concerns every client.
    func everythingChanged() {
        // Who was no app may be one now.
        let all = Array(authorizer.sessions.values)
        for session in all where session.locationCall != nil || authorizationStreams[ObjectIdentifier(session)] != nil {
            if let connection = session.connection, connection.isOpen { _ = authorizer.session(of: connection) }
        }
        review(all)
        authorizationChanged(for: all)
    }

    private func sessions(of app: AppID) -> [ClientSession] {
        authorizer.apps[app]?.processes.values.flatMap(\.sessions.values) ?? []
    }
}
