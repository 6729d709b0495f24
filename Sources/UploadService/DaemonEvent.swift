import Interfaces
import Location
import NetworkPaths
import Upload

/// An event that the link to the daemon reports to an uploader.
public enum DaemonEvent: Equatable, Sendable {
    /// The recording is readable: all numbers up to the cursor are settled, `last` is its largest number. `sent` and
    /// `filtered` count positions since the recording began.
    case opened(RecordingID, cursor: Int64, last: Int64, sent: Int64, filtered: Int64)
    /// The recording is not readable, with the reason for people. `isWithdrawn` means that its positions may not be
    /// sent either.
    case lost(isWithdrawn: Bool, message: String)
    /// The result of a read.
    case read(ReadRequest, RecordedPage)
    /// The result of a read of dead letters.
    case readRejected(RejectedPage)
    /// The cursor is stored.
    case acknowledged(upTo: Int64)
    /// A dead letter is stored.
    case rejected(Int64)
    /// A dead letter was removed, and counted as sent.
    case revived(Int64)
    /// The daemon has replied to a call that stores or reports something.
    case replied
    /// What an operator ordered; reported before the recording.
    case ordered(UploadsInterface.Attach.Reply)
    /// The network path to the destination.
    case path(TargetReachability)
    /// No path reports are available.
    case pathUnavailable
}
