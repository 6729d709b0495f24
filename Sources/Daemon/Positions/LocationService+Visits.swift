import Authorization
import Location
import Varlink

// Visits: full accuracy only, as a stay is a position for minutes. What an app gets was observed from fixes that the app was
// allowed to have.

extension LocationService {
    func monitorVisits(_ call: Call, _ session: ClientSession, since: Double?) {
        let stream = VisitStream(call, session: session, since: since)
        visitStreams[ObjectIdentifier(call)] = stream
        begin(stream)
        review(stream)
    }

    /// Continues, pauses or ends the stream under the present authorization.
    func review(_ stream: VisitStream) {
        let decision = authorizer.decide(for: stream.session)
        switch decision.access {
        case .full:
            guard stream.feed == .none else { return }
            use(.full, for: stream)
            stream.wait(isLocked: visits.isLocked(stream.key))
            stream.deliver(visits[stream.key], decision)
        case .reduced:
            stream.call.failAccuracyReduced()
            end(stream.call)
        case .refused(let reason) where reason.isPause: use(.none, for: stream)
        case .refused(let reason):
            refuse(stream.call, reason, stream.session)
            end(stream.call)
        }
    }

    /// The keys of stored visits have changed: streams that have waited for visits get them.
    func protectionChanged() {
        visits.protectionChanged()
        for stream in Array(visitStreams.values) where stream.isWaiting && !visits.isLocked(stream.key) {
            stream.wait(isLocked: false)
            let decision = authorizer.decide(for: stream.session)
            if decision.access == .full { stream.deliver(visits[stream.key], decision) } else { review(stream) }
        }
    }

    /// Shows a fix to the visits of every app that monitors them, or is woken for them, and may have the fix now, and delivers
    /// what it has shown.
    func observeVisits(_ fix: Fix) {
        let sleepers = wakes?.visitors ?? []
        guard !visitStreams.isEmpty || !sleepers.isEmpty else { return }
        let now = authorizer.instant
        var allowed: [VisitKey: [(VisitStream, Decision)]] = [:]
        for stream in Array(visitStreams.values) where stream.feed == .full {
            let decision = authorizer.decide(for: stream.session, at: now)
            if decision.access == .full {
                allowed[stream.key, default: []].append((stream, decision))
            } else {
                review(stream)
            }
        }
        for app in sleepers where authorizer.policy.decide(for: app, at: now).access == .full {
            allowed[VisitKey(app: app, uid: app.uid), default: []] += []
        }
        for (key, streams) in allowed {
            for event in visits.receive(fix, for: key) {
                if let app = key.app { wakes?.visited(app) }
                for (stream, decision) in streams {
                    switch event {
                    case .arrived(let visit), .departed(let visit): stream.deliver(visit, decision)
                    }
                }
            }
        }
    }

    /// Erases the visits of an app whose permission, or whose full accuracy, was withdrawn.
    func eraseVisits(ifWithdrawn app: AppID) {
        let grant = authorizer.policy.grant(of: app)
        // Full accuracy for one session is another decision of the person, which the grant does not contain.
        let isReduced =
            grant.accuracy == .reduced && authorizer.policy.decide(for: app, at: authorizer.instant).access != .full
        if grant.isWithdrawn || isReduced { visits.erase { $0.app == app } }
    }

    /// Erases the visits of all apps whose permission was withdrawn.
    func eraseWithdrawnVisits() {
        for app in visits.apps { eraseVisits(ifWithdrawn: app) }
    }
}
