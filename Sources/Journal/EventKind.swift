/// What an event of the journal tells of. The raw value is what the database holds: it is never renamed.
///
/// A newer release may have written others; those are read as their raw text.
public enum EventKind: String, CaseIterable, Sendable {
    /// The daemon began to serve.
    case serviceStarted
    /// The daemon ended in order.
    case serviceStopped
    /// The configuration was read again.
    case configurationReloaded
    /// A receiver began to report.
    case receiverConnected
    /// A receiver is gone.
    case receiverLost
    /// A receiver is there but silent.
    case receiverStale
    /// The position became known.
    case fixAcquired
    /// The position is no longer known.
    case fixLost
    /// The system's or a receiver's clock was set back or forth.
    case clockJumped
    /// The journal could not be written for a while: since when, and why.
    case journalFull
    /// A damaged database was set aside: under which name.
    case journalDamaged
    /// Events are missing: how many, from when to when, and why.
    case eventsDropped
    /// A remark of the operator.
    case note
    /// What was saved before a restart is in force again.
    case stateRestored
}
