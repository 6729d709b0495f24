import Location

/// A recording as the journal holds it: everything but the positions.
public struct StoredRecording: Equatable, Sendable {
    /// Whose it is, and what the app calls it.
    public var key: RecordingKey
    /// What no other recording was ever called.
    public var id: RecordingID
    /// What is to be recorded.
    public var options: RecordingOptions
    /// Whether it was started and not stopped.
    public var isStarted: Bool
    /// When it was started last.
    public var startedAt: UTCTime
    /// The largest number that was given, 0 for none.
    public var last: Int64 = 0
    /// Everything up to this number is acknowledged.
    public var acknowledged: Int64 = 0
    /// How many positions are kept that are neither acknowledged nor dead letters.
    public var waiting: Int64 = 0
    /// When the oldest of these was, by its own time.
    public var oldestWaiting: UTCTime?
    /// How many dead letters are kept.
    public var deadLetters: Int64 = 0
    /// How many positions were dropped before they were acknowledged.
    public var dropped: Int64 = 0
    /// The bytes of what is kept of it.
    public var bytes: Int64 = 0

    /// A recording of which nothing is recorded yet.
    public init(
        key: RecordingKey, id: RecordingID, options: RecordingOptions = RecordingOptions(), isStarted: Bool = true,
        startedAt: UTCTime
    ) {
        self.key = key
        self.id = id
        self.options = options
        self.isStarted = isStarted
        self.startedAt = startedAt
    }
}

/// What was found of recordings when the journal was opened.
public struct LoadedRecordings: Equatable, Sendable {
    /// The recordings, by user, app and identifier.
    public var recordings: [StoredRecording]
    /// Why some of them could not be read; nil where these are all that were stored.
    public var loss: JournalError?

    /// What could be read, and why not more.
    public init(_ recordings: [StoredRecording] = [], loss: JournalError? = nil) {
        self.recordings = recordings
        self.loss = loss
    }
}

/// What a read of a recording brought.
public struct RecordedPage<Output: Sendable>: Sendable {
    /// What the rows were written to.
    public var output: Output
    /// How many rows there were that could be read.
    public var count: Int
    /// The number of the last row, that of one too that could not be read; what was read after where there was none. Where it
    /// is larger than that, there may be more.
    public var reached: Int64
    /// The largest number that the recording has, 0 for none.
    public var last: Int64
    /// Everything up to this number is acknowledged.
    public var acknowledged: Int64
}

/// A position that its destination does not take.
public struct DeadLetter: Equatable, Sendable {
    /// Its number in its recording.
    public var sequence: Int64
    /// The position.
    public var position: Position
    /// What the destination said of it, as a number of its protocol.
    public var status: Int
    /// The beginning of what the destination said. It may repeat the position.
    public var message: String
    /// When it was rejected.
    public var rejectedAt: UTCTime

    /// A dead letter of these parts.
    public init(sequence: Int64, position: Position, status: Int, message: String, rejectedAt: UTCTime) {
        self.sequence = sequence
        self.position = position
        self.status = status
        self.message = message
        self.rejectedAt = rejectedAt
    }
}
