import Storage

/// Whether the journal can write.
public enum JournalState: Equatable, Sendable {
    /// The database is being opened; events are queued.
    case opening
    /// Events are written.
    case running
    /// Writing is currently impossible: no space, a failing disk, another program's lock. Events are queued while there
    /// is room, and writing resumes automatically. The start (microseconds since 1970-01-01T00:00:00Z) and the reason.
    case full(sinceMicroseconds: Int64, reason: String)
    /// Writing has failed until the daemon is restarted.
    case failed(StorageError)
}

/// The statistics of the journal.
public struct JournalStatistics: Equatable, Sendable {
    /// Whether the journal can write.
    public var state: JournalState
    /// How many events it holds.
    public var events: Int64
    /// The size of the database file in bytes, without the changes that are still in its write-ahead log.
    public var bytes: Int64
    /// The oldest retained sequence number.
    public var oldestRetained: Int64
    /// The newest sequence number; 0 if there never was one.
    public var newest: Int64
    /// The time of the oldest event, in microseconds since 1970-01-01T00:00:00Z.
    public var oldestMicroseconds: Int64?
    /// The time of the newest event, in microseconds since 1970-01-01T00:00:00Z.
    public var newestMicroseconds: Int64?
    /// The number of events that are not committed yet.
    public var waiting: Int
    /// How many events were dropped before they were recorded, since the start.
    public var dropped: Int64
    /// How many transactions were committed since the start.
    public var transactions: Int64
    /// How many recordings there are.
    public var recordings = 0
    /// The number of stored positions, including dead letters.
    public var positions: Int64 = 0
    /// The estimated size of these in the file, in bytes.
    public var positionBytes: Int64 = 0
    /// The number of positions that are not committed yet.
    public var waitingPositions = 0
    /// How many positions were dropped before they were committed, since the start.
    public var droppedPositions: Int64 = 0
    /// About how many rows are still to be sealed, or to be sealed with a stricter class.
    public var rowsToSeal: Int64 = 0
}
