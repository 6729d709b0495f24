/// What becomes of positions of a receiver that reports no date. The names are stable: they appear in status.
public enum UndatedState: String, CaseIterable, Sendable {
    /// There are none.
    case none
    /// They are rejected, since the receiver may still report a date: it takes ten seconds and five reports to believe that it
    /// never does.
    case waiting
    /// They are stamped with the system's clock.
    case stamped
    /// They are rejected, since the system's clock is not known to be synchronized.
    case clockUnsynchronized
    /// They are rejected because `SystemTimestamps=never` says so.
    case disabled
}
