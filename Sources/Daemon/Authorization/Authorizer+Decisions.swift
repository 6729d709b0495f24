import Authorization
import Location
import RegionStorage

// The policy's decisions about clients.

extension Authorizer {
    /// Whether location services are on.
    var areServicesOn: Bool { policy.areServicesOn }

    /// Whether something may be delivered to a client now. Called before every delivery.
    func decide(for session: ClientSession) -> Decision {
        decide(for: session, at: instant)
    }

    /// The same decision for a given time, for many clients at once.
    func decide(for session: ClientSession, at now: Instant) -> Decision {
        Policy.decide(for: session.requester) { policy.decide(for: $0, at: now) }
    }

    /// Which rows of an app's recordings may be read now. Called before every read, and before every reply.
    func decideRecorded(for app: AppID) -> RecordedDecision { policy.decideRecorded(for: app, at: instant) }

    /// Whether a client may know about the regions of an owner. Called before every disclosure.
    func decideRegions(of owner: RegionOwner, for session: ClientSession) -> RegionDecision {
        guard let app = session.process?.app.id else {
            return Policy.decideRegions(isOperator: session.isOperator && owner.app == nil)
        }
        guard owner.appID == app else { return Policy.decideRegions(isOperator: false) }
        return policy.decideRegions(for: app, at: instant)
    }

    /// Whether full positions have been permitted to a client without interruption since this time of CLOCK_MONOTONIC,
    /// in nanoseconds. They always are to an operator.
    func couldHaveFull(_ session: ClientSession, at monotonicNanoseconds: UInt64) -> Bool {
        guard let app = session.process?.app.id else { return session.isOperator }
        return policy.couldHaveFull(app, at: monotonicNanoseconds)
    }

    /// The authorization that is reported to a client.
    func authorizationState(for session: ClientSession) -> AuthorizationState {
        Policy.authorizationState(for: session.requester) { policy.authorizationState(for: $0, at: instant) }
    }

    /// Whether the app of a client is in use.
    func isInUse(_ session: ClientSession) -> Bool { session.process.map { policy.isInUse($0.app.id) } ?? false }
}

extension ClientSession {
    /// The client as a requester of the gate. A program that is an app counts as that app, whichever user runs it.
    fileprivate var requester: Policy.Requester {
        if let process { return .process(process.id) }
        return isOperator ? .operator : .nobody
    }
}
