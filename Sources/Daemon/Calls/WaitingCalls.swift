import Platform
import Varlink

/// Calls that wait until something was read from the disk, with a bound that is divided fairly between clients.
@DaemonActor
final class WaitingCalls {
    private struct Waiting {
        let perform: @DaemonActor () -> Void
        let refuse: @DaemonActor () -> Void
    }

    /// The most calls that wait, and KiB of them.
    private static let most = 16_384
    private var waiting = FairQueue<ConnectionShare, Waiting>(capacity: most)

    /// Adds a call. A call for which there is no room, this one or one of another client, is refused at once.
    func add(
        _ call: Call, of share: ConnectionShare, _ perform: @escaping @DaemonActor () -> Void,
        orRefuse refuse: @escaping @DaemonActor () -> Void
    ) {
        let displaced = waiting.add(Waiting(perform: perform, refuse: refuse), of: share, cost: call.waitingCost)
        // The next call of a connection whose call is refused may be added meanwhile.
        for other in displaced { other.refuse() }
    }

    /// Removes all, in the order of their arrival, for the caller to perform.
    func removeAll() -> [@DaemonActor () -> Void] { waiting.removeAll().map(\.perform) }
}
