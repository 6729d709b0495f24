/// When positions of a receiver without a date are stamped with the system clock. The names are the values of the
/// setting.
public enum SystemTimestamps: String, CaseIterable, Sendable {
    /// If the clock is known to be synchronized.
    case synchronized
    /// Whatever the state of the clock.
    case always
    /// Never: the positions are rejected.
    case never
}
