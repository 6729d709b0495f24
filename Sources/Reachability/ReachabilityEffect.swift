import NetworkPaths

/// An effect that the daemon around the state carries out.
public enum ReachabilityEffect: Equatable, Sendable {
    /// Notify every client that watches the path.
    case reportPath(NetworkPath)
    /// Notify every client that watches this host.
    case reportTarget(TargetKey, TargetReachability)
    /// The evaluation has paused: carry out the preceding effects, then call `continueEvaluation`.
    case continueEvaluation
    /// Look up a name for a user, then call `lookedUp` with the number.
    case lookUp(number: Int64, name: String, uid: UInt32)
    /// The lookup of a host's name has ended, with whatever result. For clients that wait for exactly that.
    case lookedUp(TargetKey)
    /// The result of the lookup with this number is no longer needed.
    case abandonLookup(number: Int64)
    /// Call `timerFired` at this instant (nanoseconds of CLOCK_MONOTONIC), and at no other.
    case arm(at: UInt64)
    /// Do not call `timerFired`.
    case disarm
    /// Stop waking for events until `releaseEvents`, except for an overrun (EPOLLERR, which is always reported).
    case holdEvents
    /// Drain the event source now, call `handle` with its events, even if there are none, and wake for every event from
    /// now on.
    case releaseEvents
    /// Receive messages about neighbours of all states (true), or only about failed neighbours (false). As soon as
    /// messages of all states are received, call `hearsAllNeighbours`.
    case watchAllNeighbours(Bool)
    /// Write the changed path to the journal.
    case recordPath(NetworkPath)

    /// Whether it reports that data can be sent.
    public var isStateReport: Bool {
        switch self {
        case .reportPath(let path): path.isUp
        case .reportTarget(_, let target): target.isUp
        default: false
        }
    }
}
