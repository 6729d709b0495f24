import Interfaces
import Location

/// The decisions of a `LocationManager`: what it requests from the daemon, and what it reports to its delegate.
///
/// Each request to the daemon is a feed with a number of its own. Events of a feed that was cancelled are ignored. A feed
/// that the daemon refuses is begun again when the app is authorized.
struct LocationManagerState {
    /// What can be requested.
    enum Source: Hashable, Sendable {
        case authorization, location, significantChanges, visits, heading, regions, singlePosition, whenInUse, always

        /// Whether it ends with its first result.
        var isOneTime: Bool { self == .singlePosition || isPrompt }
        /// Whether it asks the person.
        var isPrompt: Bool { self == .whenInUse || self == .always }
    }

    /// What a feed reports.
    enum Event: Sendable {
        case authorization(AppAuthorization)
        case update(LocationUpdate)
        case position(Position)
        case visit(Visit)
        case heading(Heading)
        case region(LocationMonitor.Event)
        /// The reply to a request for authorization.
        case answered(AppAuthorization)
        /// The daemon cannot be reached; the feed continues when it can.
        case interrupted(WaymarkError)
        /// The feed has ended.
        case ended(WaymarkError)
    }

    /// A call of the delegate.
    enum Callback: Equatable {
        case changedAuthorization
        case updated(Position)
        case visited(Visit)
        case turned(Heading)
        case crossed(LocationMonitor.Event)
        case failed(LocationError)
        case regionsFailed(WaymarkError)
        case paused
        case resumed
    }

    /// What the manager has to do.
    enum Effect: Equatable {
        case begin(Source, feed: Int)
        case cancel(Source)
        /// Begins a background session, if none is active.
        case holdInUse
        case endHold
        case report(Callback)
    }

    private struct Feed {
        let number: Int
        /// The number of authorizations received before it began.
        let authorizations: Int
    }

    private(set) var authorization: AppAuthorization?
    private(set) var location: Position?
    private(set) var heading: Heading?
    /// Whether the app stays in use in the background while positions are updated.
    private(set) var staysInUse = false

    private var wanted: Set<Source> = []
    private var feeds: [Source: Feed] = [:]
    private var lastFeed = 0
    private var authorizations = 0
    private var isPaused = false
    private var lacksPosition = false

    /// Starts something; without effect if it was started already.
    mutating func start(_ source: Source) -> [Effect] {
        guard wanted.insert(source).inserted else { return [] }
        if source == .location { (isPaused, lacksPosition) = (false, false) }
        return begin(source) + holdIfInUse()
    }

    /// Stops something.
    mutating func stop(_ source: Source) -> [Effect] {
        guard wanted.remove(source) != nil else { return [] }
        let ended = feeds.removeValue(forKey: source) == nil ? [] : [Effect.cancel(source)]
        return ended + (source == .location && staysInUse ? [.endHold] : [])
    }

    /// Requests something anew whose parameters have changed.
    mutating func restart(_ source: Source) -> [Effect] {
        guard feeds.removeValue(forKey: source) != nil else { return [] }
        return [.cancel(source)] + begin(source)
    }

    /// Changes whether the app stays in use in the background.
    mutating func stayInUse(_ stays: Bool) -> [Effect] {
        guard stays != staysInUse else { return [] }
        staysInUse = stays
        return stays ? holdIfInUse() : [.endHold]
    }

    /// Whether a feed is the last one that was begun for its source, and has not ended.
    func isPresent(_ feed: Int, of source: Source) -> Bool { feeds[source]?.number == feed }

    /// Handles what a feed reports.
    mutating func receive(_ event: Event, from source: Source, feed: Int) -> [Effect] {
        guard isPresent(feed, of: source) else { return [] }
        switch event {
        case .authorization(let authorization): return receive(authorization)
        case .update(let update): return receive(update).map { .report($0) }
        case .position(let position):
            finish(source)
            location = position
            return [.report(.updated(position))]
        case .visit(let visit): return [.report(.visited(visit))]
        case .heading(let heading):
            self.heading = heading
            return [.report(.turned(heading))]
        case .region(let event): return [.report(.crossed(event))]
        case .answered(let answer):
            // Nobody was asked, because the app is not in use: the request is repeated when it is.
            if answer.status == .notDetermined, answer.insufficientlyInUse { return retry(source) }
            finish(source)
            return []
        case .interrupted(let error): return [.report(Self.failure(of: source, error))]
        case .ended(let error): return end(source, error)
        }
    }

    private mutating func begin(_ source: Source) -> [Effect] {
        lastFeed += 1
        feeds[source] = Feed(number: lastFeed, authorizations: authorizations)
        return [.begin(source, feed: lastFeed)]
    }

    private mutating func finish(_ source: Source) {
        feeds[source] = nil
        wanted.remove(source)
    }

    private func holdIfInUse() -> [Effect] {
        staysInUse && wanted.contains(.location) && authorization?.isInUse == true ? [.holdInUse] : []
    }

    /// Begins a feed again that had ended: now, if the authorization has changed since it began, otherwise later.
    private mutating func retry(_ source: Source) -> [Effect] {
        let isOutdated = feeds.removeValue(forKey: source).map { $0.authorizations != authorizations } ?? false
        return isOutdated && canBegin(source) ? begin(source) : []
    }

    private func canBegin(_ source: Source) -> Bool {
        guard let authorization else { return false }
        return source.isPrompt ? authorization.isInUse : authorization.status.isAuthorized
    }

    private mutating func end(_ source: Source, _ error: WaymarkError) -> [Effect] {
        let failure = Effect.report(Self.failure(of: source, error))
        if source.isOneTime {
            finish(source)
            return [failure]
        }
        let restarted = retry(source)
        if !restarted.isEmpty { return restarted }
        // Before the person has decided there is nothing to report: the feed waits for the decision.
        if case .refused(.notDetermined, _) = error { return [] }
        return [failure]
    }

    private mutating func receive(_ new: AppAuthorization) -> [Effect] {
        let old = authorization
        authorization = new
        authorizations += 1
        let changed = old?.status != new.status || old?.accuracy != new.accuracy
        let begun = wanted.filter { feeds[$0] == nil && canBegin($0) && ($0.isPrompt || changed) }
        return begun.flatMap { begin($0) } + holdIfInUse() + (changed ? [.report(.changedAuthorization)] : [])
    }

    private mutating func receive(_ update: LocationUpdate) -> [Callback] {
        guard let position = update.position else {
            guard update.locationUnavailable, !lacksPosition else { return [] }
            lacksPosition = true
            return [.failed(LocationError(.locationUnknown))]
        }
        let wasPaused = isPaused
        isPaused = update.diagnostics.contains(.stationary)
        lacksPosition = false
        location = position
        return (wasPaused && !isPaused ? [.resumed] : []) + [.updated(position)]
            + (isPaused && !wasPaused ? [.paused] : [])
    }

    private static func failure(of source: Source, _ error: WaymarkError) -> Callback {
        source == .regions ? .regionsFailed(error) : .failed(LocationError(error, otherwise: code(of: source)))
    }

    /// The code of an error that only a call for this source has.
    private static func code(of source: Source) -> LocationError.Code {
        switch source {
        case .heading: .headingFailure
        case .whenInUse, .always: .promptDeclined
        case .authorization: .network
        case .regions: .regionMonitoringFailure
        case .location, .significantChanges, .visits, .singlePosition: .locationUnknown
        }
    }
}
