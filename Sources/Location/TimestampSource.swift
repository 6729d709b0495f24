/// The clock that the timestamp of a position is from.
public enum TimestampSource: String, CaseIterable, Sendable {
    /// The receiver's clock: the time at which it was at the position.
    case receiver
    /// The system clock: the time at which the report arrived, if the receiver reports no date.
    case systemClock
}
