/// The retention of recordings.
public struct RecordingRetention: Equatable, Sendable {
    /// How long acknowledged positions are retained; zero erases them with the acknowledgement.
    public var keepAcknowledged: Duration = .zero
    /// The greatest age of a position, acknowledged or not.
    public var maximumAge: Duration = .seconds(365 * 86_400)
    /// The size of all recordings together, in bytes, above which rows are dropped: first acknowledged positions, then
    /// dead letters, then pending positions; the oldest first.
    public var maximumBytes: Int64 = 1 << 30

    /// No acknowledged positions, one year, 1 GiB.
    public init() {}

    /// These limits.
    public init(keepAcknowledged: Duration, maximumAge: Duration, maximumBytes: Int64) {
        self.keepAcknowledged = keepAcknowledged
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
    }
}
