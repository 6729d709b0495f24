import Interfaces
import Location
import NetworkPaths
import Upload

/// What an uploader hears of the daemon.
public enum DaemonEvent: Equatable, Sendable {
    /// The recording can be read: everything up to the cursor is settled, `last` is its largest number.
    case opened(RecordingID, cursor: Int64, last: Int64)
    /// It cannot be read, and why, for a person. `isWithdrawn` where its positions may not be sent either.
    case lost(isWithdrawn: Bool, message: String)
    /// A read was answered.
    case read(ReadRequest, RecordedPage)
    /// A read of dead letters was answered.
    case readRejected(RejectedPage)
    /// The cursor is stored.
    case acknowledged(upTo: Int64)
    /// A dead letter is stored.
    case rejected(Int64)
    /// What an operator wants; told before the recording is.
    case ordered(UploadsInterface.Attach.Reply)
    /// The way to the destination.
    case path(TargetReachability)
    /// Nobody tells about the way.
    case pathUnavailable
}
