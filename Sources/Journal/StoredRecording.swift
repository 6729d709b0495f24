import Location
import Storage

/// A recording as the journal stores it, without its positions.
public struct StoredRecording: Equatable, Sendable {
    /// The owner of the recording, and the owner's name for it.
    public var key: RecordingKey
    /// The identifier, which is never reused.
    public var id: RecordingID
    /// The options of the recording.
    public var options: RecordingOptions
    /// Whether it was started and not stopped.
    public var isStarted: Bool
    /// When it was last started.
    public var startedAt: UTCTime
    /// The largest number that was assigned, 0 for none.
    public var last: Int64 = 0
    /// All positions up to this number are acknowledged.
    public var acknowledged: Int64 = 0
    /// The number of stored positions that are neither acknowledged nor dead letters.
    public var waiting: Int64 = 0
    /// The time of the oldest of these positions.
    public var oldestWaiting: UTCTime?
    /// The number of stored dead letters.
    public var deadLetters: Int64 = 0
    /// The number of positions that were dropped before they were acknowledged.
    public var dropped: Int64 = 0
    /// The number of acknowledged positions that the destination of an uploader has accepted.
    public var sent: Int64 = 0
    /// The number of acknowledged positions that the filter of an uploader has left out.
    public var filtered: Int64 = 0
    /// The size of the stored data in bytes.
    public var bytes: Int64 = 0

    /// A recording without positions.
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

/// The recordings found when the journal was opened.
public struct LoadedRecordings: Equatable, Sendable {
    /// The recordings, by user, app and identifier.
    public var recordings: [StoredRecording]
    /// The reason why some of them could not be read; nil if they are complete.
    public var loss: StorageError?

    /// The readable recordings, and the reason why they are incomplete.
    public init(_ recordings: [StoredRecording] = [], loss: StorageError? = nil) {
        self.recordings = recordings
        self.loss = loss
    }
}

/// The result of a read of a recording.
public struct RecordedPage<Output: Sendable>: Sendable {
    /// The output that the rows were written to.
    public var output: Output
    /// The number of readable rows.
    public var count: Int
    /// The number of the last row, readable or not; the start of the read if there was none. If it is greater than the
    /// start, there may be more rows.
    public var reached: Int64
    /// The largest number of the recording, 0 for none.
    public var last: Int64
    /// All positions up to this number are acknowledged.
    public var acknowledged: Int64
}

/// A position that its destination refuses.
public struct DeadLetter: Equatable, Sendable {
    /// Its number in its recording.
    public var sequence: Int64
    /// The position.
    public var position: Position
    /// The destination's status code, in its protocol.
    public var status: Int
    /// The beginning of the destination's message. It may repeat the position.
    public var message: String
    /// When it was refused.
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
