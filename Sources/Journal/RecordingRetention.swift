/// What the journal keeps of recordings.
public struct RecordingRetention: Equatable, Sendable {
    /// How long what is acknowledged is kept; zero erases it with the acknowledgement.
    public var keepAcknowledged: Duration = .zero
    /// Nothing is kept longer than this, also what nobody has acknowledged.
    public var maximumAge: Duration = .seconds(365 * 86_400)
    /// The bytes of all recordings together above which something goes: first what is acknowledged, then dead letters,
    /// then what waits; the oldest first.
    public var maximumBytes: Int64 = 1 << 30

    /// Nothing that is acknowledged, for a year, 1 GiB.
    public init() {}

    /// These limits.
    public init(keepAcknowledged: Duration, maximumAge: Duration, maximumBytes: Int64) {
        self.keepAcknowledged = keepAcknowledged
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
    }
}
