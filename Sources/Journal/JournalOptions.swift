/// How a journal behaves.
public struct JournalOptions: Equatable, Sendable {
    /// How long an event that is not urgent may wait for others before it is committed: what a power cut may cost.
    public var commitInterval: Duration = .seconds(1)
    /// The most events that wait to be committed; while a commit is under way, as many again. When it is full the oldest
    /// that nobody awaits is dropped, and counted.
    public var queueCapacity = 4_096
    /// The most positions that wait to be committed; while a commit is under way, as many again. When it is full the
    /// oldest is dropped, and counted for its recording.
    public var positionCapacity = 4_096
    /// The most positions that one transaction takes.
    public var largestPositionBatch = 4_096
    /// The most reads and checks that wait; further ones are refused.
    public var readerCapacity = 256
    /// The first pause after a commit that failed; it doubles up to `longestPause`.
    public var firstPause: Duration = .seconds(1)
    /// The longest pause between attempts to commit.
    public var longestPause: Duration = .seconds(60)
    /// What is kept, and for how long.
    public var retention = Retention()
    /// What is kept of recordings, and for how long.
    public var recordingRetention = RecordingRetention()

    /// The defaults.
    public init() {}

    /// The largest event, app and details together, in bytes of UTF-8.
    public static let largestEventBytes = 16_384

    /// The most that waits of changes with the events that tell of them, in bytes of their texts and 128 for each; while
    /// a commit is under way, as many again. What is over is refused.
    static let largestChangesBytes = 16 << 20

    /// Milliseconds to wait for another program that holds the database locked: bounds how late an answer can be.
    static let busyMilliseconds = 2_000
}

/// What the journal keeps. The oldest goes first, and its going is an event.
public struct Retention: Equatable, Sendable {
    /// Nothing is kept longer than this; checked with a commit, at most every ten minutes.
    public var maximumAge: Duration = .seconds(90 * 86_400)
    /// The size of the database in bytes above which the oldest events go.
    public var maximumBytes: Int64 = 64 << 20
    /// No event of an operator's is kept longer than this, or than `maximumAge` where that is longer.
    public var operatorMaximumAge: Duration = .seconds(365 * 86_400)
    /// The size in bytes of operators' events above which the oldest of them go, beside `maximumBytes`.
    public var operatorMaximumBytes: Int64 = 16 << 20

    /// Ninety days and 64 MiB.
    public init() {}

    /// These limits.
    public init(maximumAge: Duration, maximumBytes: Int64) {
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
    }
}
