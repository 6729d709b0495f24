import NetworkPaths

/// What is to be done, for the daemon around the state.
public enum ReachabilityEffect: Equatable, Sendable {
    /// Everybody who watches the path is to be told.
    case reportPath(NetworkPath)
    /// Everybody who watches this host is to be told.
    case reportTarget(TargetKey, TargetReachability)
    /// The look has only begun: `continueEvaluation` is to be called, once what stands before this is done.
    case continueEvaluation
    /// A name is to be looked up for a user, and `lookedUp` to be called with the number.
    case lookUp(number: Int64, name: String, uid: UInt32)
    /// A host's name was looked up, whatever came of it, for who waits for just that.
    case lookedUp(TargetKey)
    /// The answer to this number is wanted no longer.
    case abandonLookup(number: Int64)
    /// `timerFired` is to be called at this moment of CLOCK_MONOTONIC in nanoseconds, and at no other.
    case arm(at: UInt64)
    /// It is not to be called.
    case disarm
    /// The event source is not to wake anybody until `releaseEvents`, but for an overrun (EPOLLERR, which is always told).
    case holdEvents
    /// The event source is to be drained now, `take` to be called with what there was, even nothing, and from now on
    /// whenever something comes.
    case releaseEvents
    /// Whether messages about neighbours of all states are to be let through, or about those that failed only. As soon as
    /// all are, `hearsAllNeighbours` is to be called.
    case watchAllNeighbours(Bool)
    /// The path has changed, for the journal.
    case recordPath(NetworkPath)

    /// Whether it tells somebody of a way.
    public var isStateReport: Bool {
        switch self {
        case .reportPath(let path): path.isUp
        case .reportTarget(_, let target): target.isUp
        default: false
        }
    }
}
