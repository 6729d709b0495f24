import Platform

/// Puts connections where they outlive the process.
@DaemonActor
public protocol ConnectionKeeping: AnyObject {
    /// A slot for a connection that is in the store from now on; nil where it cannot be, or not now.
    ///
    /// `fill` is given the slot before the store is given the connection: were the process to end between the two, a slot
    /// without a connection is nothing, and a connection of which nothing is known would be lost. One that has a stream, or
    /// that is left by a process that ends, has precedence over one on which nothing is going on.
    func keep(
        _ socket: Int32, of peer: PeerIdentity, hasPrecedence: Bool, _ fill: (KeptSlot) -> Void
    ) -> KeptSlot?

    /// Takes a connection that has ended out of the store.
    func letGo(_ slot: KeptSlot)
}

/// How a call goes on that was in progress when the process ended.
public enum CallRepetition: Sendable {
    /// It is made again; what it says first is left out where that was the last thing said already.
    case unlessSame
    /// It is made again; of what it says at once, nothing is said that was said before.
    case unlessTold
    /// It is made again; its first reply is left out if it had one.
    case withoutFirstReply
    /// It is not made again, as it may be done already: the connection ends, and the client knows that it does not know.
    case never
}
