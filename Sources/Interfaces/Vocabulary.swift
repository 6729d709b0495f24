// Names of the interfaces' types for programs, where several interfaces are used together.

/// What an app is allowed: `Authorization` of `io.waymark.Location`.
public typealias AppAuthorization = LocationInterface.Authorization
/// What a stream of positions reports: `Update` of `io.waymark.Location`.
public typealias LocationUpdate = LocationInterface.Update
/// The state of the daemon: `DaemonStatus` of `io.waymark.Manage`.
public typealias DaemonStatus = ManageInterface.DaemonStatus
/// What is known of an app: `App` of `io.waymark.Manage`.
public typealias KnownApp = ManageInterface.App
/// A user id of which something is stored: `User` of `io.waymark.Manage`.
public typealias KnownUser = ManageInterface.User
/// One event of the journal: `Event` of `io.waymark.Journal`.
public typealias JournalEntry = JournalInterface.Event
/// What is known of a recording: `Recording` of `io.waymark.Recording`.
public typealias KnownRecording = RecordingInterface.Recording
/// A position that a destination did not accept: `DeadLetter` of `io.waymark.Recording`.
public typealias KnownDeadLetter = RecordingInterface.DeadLetter
/// What is known of an upload: `Upload` of `io.waymark.Uploads`.
public typealias KnownUpload = UploadsInterface.Upload
/// Which position is asked for: the parameters of `io.waymark.Location.GetPosition`.
public typealias PositionRequest = LocationInterface.GetPosition
/// Which positions are asked for: the parameters of `io.waymark.Location.Monitor`.
public typealias MonitorRequest = LocationInterface.Monitor
/// Whether a host can be reached, and what was looked at: the reply of `io.waymark.Reachability.GetTarget`.
public typealias TargetAnswer = ReachabilityInterface.GetTarget.Reply

extension PositionRequest {
    /// How long an answer may be waited for, in seconds, where nothing else is said.
    public static let usualTimeout = 30.0
    /// How old a position may be, in seconds, where nothing else is said.
    public static let usualMaximumAge = 10.0

    /// How old the position may be, in seconds.
    public var greatestAge: Double { maximumAge ?? Self.usualMaximumAge }
    /// How long an answer is waited for, in seconds.
    public var waitingTime: Double { timeout ?? Self.usualTimeout }
}
