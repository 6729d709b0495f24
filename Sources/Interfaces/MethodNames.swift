/// The methods of `io.waymark.Location`, by their full names.
public enum LocationMethod: String, CaseIterable, Sendable {
    case getAuthorization = "io.waymark.Location.GetAuthorization"
    case monitorAuthorization = "io.waymark.Location.MonitorAuthorization"
    case requestWhenInUse = "io.waymark.Location.RequestWhenInUse"
    case requestAlways = "io.waymark.Location.RequestAlways"
    case requestTemporaryFullAccuracy = "io.waymark.Location.RequestTemporaryFullAccuracy"
    case setActivity = "io.waymark.Location.SetActivity"
    case holdInUse = "io.waymark.Location.HoldInUse"
    case getPosition = "io.waymark.Location.GetPosition"
    case monitor = "io.waymark.Location.Monitor"
    case getSatellites = "io.waymark.Location.GetSatellites"
    case monitorSatellites = "io.waymark.Location.MonitorSatellites"
}

/// The methods of `io.waymark.Manage`, by their full names.
public enum ManageMethod: String, CaseIterable, Sendable {
    case status = "io.waymark.Manage.Status"
    case monitor = "io.waymark.Manage.Monitor"
    case reload = "io.waymark.Manage.Reload"
    case metrics = "io.waymark.Manage.Metrics"
    case listApps = "io.waymark.Manage.ListApps"
    case authorize = "io.waymark.Manage.Authorize"
    case reset = "io.waymark.Manage.Reset"
    case resetAll = "io.waymark.Manage.ResetAll"
    case setServicesEnabled = "io.waymark.Manage.SetServicesEnabled"
    case listRequests = "io.waymark.Manage.ListRequests"
    case answer = "io.waymark.Manage.Answer"
    case setLocked = "io.waymark.Manage.SetLocked"
    case rotateReduced = "io.waymark.Manage.RotateReduced"
    case listUsers = "io.waymark.Manage.ListUsers"
    case eraseUser = "io.waymark.Manage.EraseUser"
    case restoreUser = "io.waymark.Manage.RestoreUser"
}

/// The methods of `io.waymark.Agent`, by their full names.
public enum AgentMethod: String, CaseIterable, Sendable {
    case register = "io.waymark.Agent.Register"
    case answer = "io.waymark.Agent.Answer"
    case dismiss = "io.waymark.Agent.Dismiss"
    case setLocked = "io.waymark.Agent.SetLocked"
}

/// The methods of `io.waymark.Journal`, by their full names.
public enum JournalMethod: String, CaseIterable, Sendable {
    case read = "io.waymark.Journal.Read"
    case verify = "io.waymark.Journal.Verify"
    case note = "io.waymark.Journal.Note"
}

/// The methods of `io.waymark.Reachability`, by their full names.
public enum ReachabilityMethod: String, CaseIterable, Sendable {
    case getPath = "io.waymark.Reachability.GetPath"
    case monitorPath = "io.waymark.Reachability.MonitorPath"
    case getTarget = "io.waymark.Reachability.GetTarget"
    case monitorTarget = "io.waymark.Reachability.MonitorTarget"
    case reportTarget = "io.waymark.Reachability.ReportTarget"
}

/// The methods of `io.waymark.Recording`, by their full names.
public enum RecordingMethod: String, CaseIterable, Sendable {
    case start = "io.waymark.Recording.Start"
    case stop = "io.waymark.Recording.Stop"
    case erase = "io.waymark.Recording.Erase"
    case list = "io.waymark.Recording.List"
    case read = "io.waymark.Recording.Read"
    case acknowledge = "io.waymark.Recording.Acknowledge"
    case reject = "io.waymark.Recording.Reject"
    case readRejected = "io.waymark.Recording.ReadRejected"
    case revive = "io.waymark.Recording.Revive"
}

/// The methods of `io.waymark.Uploads`, by their full names.
public enum UploadsMethod: String, CaseIterable, Sendable {
    case attach = "io.waymark.Uploads.Attach"
    case report = "io.waymark.Uploads.Report"
    case list = "io.waymark.Uploads.List"
    case monitor = "io.waymark.Uploads.Monitor"
    case pause = "io.waymark.Uploads.Pause"
    case resume = "io.waymark.Uploads.Resume"
    case flush = "io.waymark.Uploads.Flush"
    case retryRejected = "io.waymark.Uploads.RetryRejected"
}

/// The errors that the daemon's interfaces answer with, by their full names.
public enum ErrorName: String, CaseIterable, Sendable {
    case denied = "io.waymark.Location.Denied"
    case deniedGlobally = "io.waymark.Location.DeniedGlobally"
    case restricted = "io.waymark.Location.Restricted"
    case notDetermined = "io.waymark.Location.NotDetermined"
    case notInUse = "io.waymark.Location.NotInUse"
    case accuracyReduced = "io.waymark.Location.AccuracyReduced"
    case purposeMissing = "io.waymark.Location.PurposeMissing"
    case manifestMissing = "io.waymark.Location.ManifestMissing"
    case accountSuspended = "io.waymark.Location.AccountSuspended"
    case requestInProgress = "io.waymark.Location.RequestInProgress"
    case notStored = "io.waymark.Location.NotStored"
    case positionUnknown = "io.waymark.Location.PositionUnknown"
    case timeout = "io.waymark.Location.Timeout"
    case tooManyConnections = "io.waymark.Location.TooManyConnections"
    case manageNotOperator = "io.waymark.Manage.NotOperator"
    case configurationInvalid = "io.waymark.Manage.ConfigurationInvalid"
    case manageJournalUnavailable = "io.waymark.Manage.JournalUnavailable"
    case noSuchApp = "io.waymark.Manage.NoSuchApp"
    case userNeeded = "io.waymark.Manage.UserNeeded"
    case noSuchRequest = "io.waymark.Manage.NoSuchRequest"
    case requestNotOffered = "io.waymark.Manage.NotOffered"
    case manageRestricted = "io.waymark.Manage.Restricted"
    case reducedUnavailable = "io.waymark.Manage.ReducedUnavailable"
    case notRoot = "io.waymark.Manage.NotRoot"
    case noSuchUser = "io.waymark.Manage.NoSuchUser"
    case userNotRestorable = "io.waymark.Manage.NotRestorable"
    case notAgent = "io.waymark.Agent.NotAgent"
    case unknownPrompt = "io.waymark.Agent.UnknownPrompt"
    case promptNotOffered = "io.waymark.Agent.NotOffered"
    case answerNotStored = "io.waymark.Agent.NotStored"
    case journalNotOperator = "io.waymark.Journal.NotOperator"
    case journalUnavailable = "io.waymark.Journal.JournalUnavailable"
    case reachabilityUnavailable = "io.waymark.Reachability.Unavailable"
    case invalidHost = "io.waymark.Reachability.InvalidHost"
    case otherNetwork = "io.waymark.Reachability.OtherNetwork"
    case tooManyTargets = "io.waymark.Reachability.TooManyTargets"
    case recordingNotAllowed = "io.waymark.Recording.NotAllowed"
    case noSuchRecording = "io.waymark.Recording.NoSuchRecording"
    case noSuchPosition = "io.waymark.Recording.NoSuchPosition"
    case recordingAppNeeded = "io.waymark.Recording.AppNeeded"
    case invalidIdentifier = "io.waymark.Recording.InvalidIdentifier"
    case tooManyRecordings = "io.waymark.Recording.TooManyRecordings"
    case recordingJournalUnavailable = "io.waymark.Recording.JournalUnavailable"
    case recordingNotOperator = "io.waymark.Recording.NotOperator"
    case recordingWithheld = "io.waymark.Recording.Withheld"
    case uploadsNotOperator = "io.waymark.Uploads.NotOperator"
    case noSuchUpload = "io.waymark.Uploads.NoSuchUpload"
    case uploaderNotRunning = "io.waymark.Uploads.NotRunning"
    case uploadAppNeeded = "io.waymark.Uploads.AppNeeded"
    case uploadsNotAllowed = "io.waymark.Uploads.NotAllowed"
    case tooManyUploads = "io.waymark.Uploads.TooManyUploads"
    case alreadyAttached = "io.waymark.Uploads.AlreadyAttached"
    case uploadsJournalUnavailable = "io.waymark.Uploads.JournalUnavailable"

    /// Whether it says that the caller is not allowed, as against that something does not work.
    public var isRefusal: Bool {
        switch self {
        case .denied, .deniedGlobally, .restricted, .notDetermined, .notInUse, .accuracyReduced, .manifestMissing,
            .accountSuspended, .notRoot, .manageNotOperator, .notAgent, .journalNotOperator, .otherNetwork,
            .recordingNotAllowed,
            .recordingNotOperator, .recordingWithheld, .uploadsNotAllowed, .uploadsNotOperator:
            true
        default: false
        }
    }
}
