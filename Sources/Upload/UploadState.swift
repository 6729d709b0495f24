import NetworkPaths

/// The current activity of an uploader, or the condition it waits for. Times are nanoseconds of CLOCK_MONOTONIC.
public enum UploadState: Equatable, Sendable {
    /// The reason why the available network path is not used.
    public enum Cost: String, Sendable {
        /// It costs money.
        case expensive
        /// The person asked to save data.
        case constrained
    }

    /// No position is pending.
    case idle
    /// The recording cannot be read: the daemon is not running, or does not permit the read.
    case waitingForRecording
    /// There is no network path to the destination; the reason is nil before the first report of the path.
    case waitingForPath(UnreachableReason?)
    /// There is a path, but the uploader waits for a better one, until this time at the latest.
    case deferred(Cost, until: UInt64)
    /// Positions are in flight, or about to be sent.
    case sending(BatchSummary?)
    /// An attempt failed, the `attempt`-th in a row; the next one follows.
    case backingOff(until: UInt64, attempt: Int, because: UploadFailure)
    /// Uploading cannot succeed before something changes; attempts are made all the same.
    case blocked(BlockReason, until: UInt64)
    /// An operator has paused the upload.
    case paused
}

/// The status of an uploader, for `waymark uploads` and the journal.
public struct UploadReport: Equatable, Sendable {
    /// The current activity, or the condition it waits for.
    public var state: UploadState
    /// The instant since which a response is overdue, nanoseconds of CLOCK_MONOTONIC; nil if none is pending or if it
    /// has been pending for less than 10 s.
    public var unansweredSince: UInt64?
    /// Positions that were acknowledged since the start.
    public var sent: UInt64 = 0
    /// Positions that became dead letters since the start.
    public var rejected: UInt64 = 0
    /// Positions that the filter left out since the start.
    public var filtered: UInt64 = 0
    /// Positions that were acknowledged since the recording began.
    public var sentInAll: Int64 = 0
    /// Positions that the filter left out since the recording began.
    public var filteredInAll: Int64 = 0
    /// Commands of the destination that were performed.
    public var commands: UInt64 = 0
    /// Commands of the destination that were ignored: unknown, illegible, or too many.
    public var ignoredCommands: UInt64 = 0
    /// Messages about regions that were acknowledged since the start.
    public var regionMessages: UInt64 = 0
    /// Messages about regions that the destination has refused for good since the start.
    public var refusedRegionMessages: UInt64 = 0
    /// Events of regions since the start of which OwnTracks has no message.
    public var skippedRegionEvents: UInt64 = 0
    /// Waypoints and events of regions that are pending.
    public var pendingRegionMessages = 0
    /// The status of a refusal of a message about a region that may not be final; nil for none.
    public var regionRefusal: Int?
    /// Responses and confirmations that arrived after their transfer was given up.
    public var late: UInt64 = 0
    /// The status of the last response; nil before the first one.
    public var lastStatus: Int?
    /// Why the last attempt failed; nil if it succeeded.
    public var lastFailure: UploadFailure?
}
