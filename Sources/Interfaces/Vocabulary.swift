// Short names of the interfaces' types, for files that use several interfaces together.

/// The authorization of an app: `Authorization` of `io.waymark.Location`.
public typealias AppAuthorization = LocationInterface.Authorization
/// Why there are no positions, or not the best ones: `Diagnostic` of `io.waymark.Location`.
public typealias LocationDiagnostic = LocationInterface.Diagnostic
/// One report of a stream of positions: `Update` of `io.waymark.Location`.
public typealias LocationUpdate = LocationInterface.Update
/// The state of the daemon: `DaemonStatus` of `io.waymark.Manage`.
public typealias DaemonStatus = ManageInterface.DaemonStatus
/// The state of an app: `App` of `io.waymark.Manage`.
public typealias KnownApp = ManageInterface.App
/// A user id with stored data: `User` of `io.waymark.Manage`.
public typealias KnownUser = ManageInterface.User
/// One event of the journal: `Event` of `io.waymark.Journal`.
public typealias JournalEntry = JournalInterface.Event
/// The state of a recording: `Recording` of `io.waymark.Recording`.
public typealias KnownRecording = RecordingInterface.Recording
/// A position that a destination did not accept: `DeadLetter` of `io.waymark.Recording`.
public typealias KnownDeadLetter = RecordingInterface.DeadLetter
/// The state of an upload: `Upload` of `io.waymark.Uploads`.
public typealias KnownUpload = UploadsInterface.Upload
/// Conditions for one position: the parameters of `io.waymark.Location.GetPosition`.
public typealias PositionRequest = LocationInterface.GetPosition
/// Conditions for a stream of positions: the parameters of `io.waymark.Location.Monitor`.
public typealias MonitorRequest = LocationInterface.Monitor
/// Whether a host can be reached, and the steps checked: the reply of `io.waymark.Reachability.GetTarget`.
public typealias TargetAnswer = ReachabilityInterface.GetTarget.Reply

extension PositionRequest {
    /// The default limit for the wait for a position, in seconds.
    public static let usualTimeout = 30.0
    /// The default limit for the age of a position, in seconds.
    public static let usualMaximumAge = 10.0

    /// The limit for the age of the position, in seconds.
    public var greatestAge: Double { maximumAge ?? Self.usualMaximumAge }
    /// The limit for the wait, in seconds.
    public var waitingTime: Double { timeout ?? Self.usualTimeout }
}
