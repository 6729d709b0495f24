/// Which clock the timestamp of a position is from.
public enum TimestampSource: String, CaseIterable, Sendable {
    /// The receiver's own: the time at which it was there.
    case receiver
    /// The system's: the time at which the report arrived, where the receiver reports no date.
    case systemClock
}
