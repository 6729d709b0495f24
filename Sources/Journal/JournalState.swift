/// Whether the journal records.
public enum JournalState: Equatable, Sendable {
    /// It is being opened; what is appended waits.
    case opening
    /// It records.
    case running
    /// It cannot write for now: no space, a disk that fails, another program's lock. What is appended waits, as much as
    /// there is room for, and it goes on by itself. Since when (microseconds since 1970-01-01T00:00:00Z), and why.
    case full(sinceMicroseconds: Int64, reason: String)
    /// It does not record, and will not before the daemon is started again.
    case failed(JournalError)
}

/// What the journal is like at a moment.
public struct JournalStatistics: Equatable, Sendable {
    /// Whether it records.
    public var state: JournalState
    /// How many events it holds.
    public var events: Int64
    /// The size of the database file, without what is still in its log.
    public var bytes: Int64
    /// The oldest sequence number that is kept.
    public var oldestRetained: Int64
    /// The newest sequence number, 0 where there never was one.
    public var newest: Int64
    /// When the oldest event was, in microseconds since 1970-01-01T00:00:00Z.
    public var oldestMicroseconds: Int64?
    /// When the newest event was, in microseconds since 1970-01-01T00:00:00Z.
    public var newestMicroseconds: Int64?
    /// How many events wait to be committed.
    public var waiting: Int
    /// How many events were dropped before they were recorded, since the start.
    public var dropped: Int64
    /// How many transactions were committed since the start.
    public var transactions: Int64
    /// How many recordings there are.
    public var recordings = 0
    /// How many positions are kept of them, dead letters too.
    public var positions: Int64 = 0
    /// The bytes of the file that these take, by estimate.
    public var positionBytes: Int64 = 0
    /// How many positions wait to be committed.
    public var waitingPositions = 0
    /// How many positions were dropped before they were committed, since the start.
    public var droppedPositions: Int64 = 0
}
