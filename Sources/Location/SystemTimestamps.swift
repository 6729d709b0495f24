/// When positions of a receiver that reports no date are stamped with the system's clock. The names are those of the setting.
public enum SystemTimestamps: String, CaseIterable, Sendable {
    /// Where that clock is known to be synchronized.
    case synchronized
    /// Whatever is known of it.
    case always
    /// They are rejected.
    case never
}
