import NetworkPaths

/// What an uploader does, or waits for. Times are nanoseconds of CLOCK_MONOTONIC.
public enum UploadState: Equatable, Sendable {
    /// Why the way that there is is not used.
    public enum Cost: String, Sendable {
        /// It costs money.
        case expensive
        /// The person asked to send little.
        case constrained
    }

    /// Nothing waits.
    case idle
    /// The recording cannot be read: the daemon is not there, or does not let it be read.
    case waitingForRecording
    /// There is no way to the destination; nil where that was not told yet.
    case waitingForPath(UnreachableReason?)
    /// There is a way, and another one is better; until then at most.
    case deferred(Cost, until: UInt64)
    /// Positions are on their way, or about to be.
    case sending(BatchSummary?)
    /// It did not work, so often in a row, and is tried again.
    case backingOff(until: UInt64, attempt: Int, because: UploadFailure)
    /// It cannot work before something changes; tried again all the same.
    case blocked(BlockReason, until: UInt64)
    /// An operator has said so.
    case paused
}

/// How an uploader stands, for `waymark uploads` and the journal.
public struct UploadReport: Equatable, Sendable {
    /// What it does, or waits for.
    public var state: UploadState
    /// Since when the destination has owed an answer, nanoseconds of CLOCK_MONOTONIC; nil where it owes none or has owed it
    /// for less than 10 s.
    public var unansweredSince: UInt64?
    /// Positions that were acknowledged, since the start.
    public var sent: UInt64 = 0
    /// Positions that became dead letters, since the start.
    public var rejected: UInt64 = 0
    /// Answers and confirmations that nobody waited for any more.
    public var late: UInt64 = 0
    /// The status of the last answer; nil where there was none.
    public var lastStatus: Int?
    /// Why the last attempt failed; nil where it did not.
    public var lastFailure: UploadFailure?
}
