/// The settings of a journal.
public struct JournalOptions: Equatable, Sendable {
    /// How long an event that is not urgent may be delayed to share a commit with others: the loss in a power failure.
    public var commitInterval: Duration = .seconds(1)
    /// The most events in the queue; while a commit is in progress, as many again. When the queue is full, the oldest
    /// event without a completion is dropped and counted.
    public var queueCapacity = 4_096
    /// The most positions in the queue; while a commit is in progress, as many again. When the queue is full, the
    /// oldest position is dropped and counted for its recording.
    public var positionCapacity = 4_096
    /// The most positions in one transaction.
    public var largestPositionBatch = 4_096
    /// The most pending reads and checks; further ones are refused.
    public var readerCapacity = 256
    /// The first pause after a failed commit; it doubles up to `longestPause`.
    public var firstPause: Duration = .seconds(1)
    /// The longest pause between attempts to commit.
    public var longestPause: Duration = .seconds(60)
    /// The retention of events.
    public var retention = Retention()
    /// The retention of recordings.
    public var recordingRetention = RecordingRetention()
    /// Where the machine's secret is looked for.
    public var machineSecret = MachineSecretSource()

    /// The defaults.
    public init() {}

    /// The largest event, app and details together, in bytes of UTF-8.
    public static let largestEventBytes = 16_384

    /// The most pending changes with their events, in bytes of their texts plus 128 for each; while a commit is in
    /// progress, as many again. Further ones are refused.
    static let largestChangesBytes = 16 << 20
}

/// The retention of events. The oldest are dropped first, and an event reports it.
public struct Retention: Equatable, Sendable {
    /// The greatest age of an event; checked with a commit, at most every ten minutes.
    public var maximumAge: Duration = .seconds(90 * 86_400)
    /// The size of the database in bytes above which the oldest events are dropped.
    public var maximumBytes: Int64 = 64 << 20
    /// The greatest age of operators' events, unless `maximumAge` is greater.
    public var operatorMaximumAge: Duration = .seconds(365 * 86_400)
    /// The size in bytes of operators' events above which the oldest of them are dropped, in addition to
    /// `maximumBytes`.
    public var operatorMaximumBytes: Int64 = 16 << 20

    /// Ninety days and 64 MiB.
    public init() {}

    /// These limits.
    public init(maximumAge: Duration, maximumBytes: Int64) {
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
    }
}
