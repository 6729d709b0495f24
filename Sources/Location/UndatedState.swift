/// How positions of a receiver without a date are handled. The names are stable: they appear in the status.
public enum UndatedState: String, CaseIterable, Sendable {
    /// There are none.
    case none
    /// They are rejected, because the receiver may still report a date: it takes ten seconds and five reports to
    /// conclude that it never does.
    case waiting
    /// They are stamped with the system clock.
    case stamped
    /// They are rejected, because the system clock is not known to be synchronized.
    case clockUnsynchronized
    /// They are rejected because of the setting `SystemTimestamps=never`.
    case disabled
}
