// Made from the interfaces' texts by `make interfaces`: change these, not this file.

/// The errors that the daemon's interfaces answer with, by their full names.
public enum ErrorName: String, CaseIterable, Sendable {
    /// The caller may not be an agent; the message says why.
    case agentNotAgent = "io.waymark.Agent.NotAgent"
    /// There is no such question of this user, or it was answered.
    case agentUnknownPrompt = "io.waymark.Agent.UnknownPrompt"
    /// The question does not offer that choice.
    case agentNotOffered = "io.waymark.Agent.NotOffered"
    /// The answer could not be stored; nothing that it allows holds.
    case agentNotStored = "io.waymark.Agent.NotStored"
    /// The caller is no operator, and for Read no app.
    case journalNotOperator = "io.waymark.Journal.NotOperator"
    /// The journal cannot be read or written now.
    case journalJournalUnavailable = "io.waymark.Journal.JournalUnavailable"
    /// The person in charge said no.
    case denied = "io.waymark.Location.Denied"
    /// Location services are off.
    case deniedGlobally = "io.waymark.Location.DeniedGlobally"
    /// A restriction of this machine forbids it.
    case restricted = "io.waymark.Location.Restricted"
    /// Nobody has decided yet whether the caller may have positions.
    case notDetermined = "io.waymark.Location.NotDetermined"
    /// Allowed only while in use.
    case notInUse = "io.waymark.Location.NotInUse"
    /// The manifest lacks what the request needs under this key.
    case purposeMissing = "io.waymark.Location.PurposeMissing"
    /// No manifest fits the caller, or it is gone.
    case manifestMissing = "io.waymark.Location.ManifestMissing"
    /// What is stored of the caller's user is not used: its account was removed, or the number belongs to another
    /// account.
    case accountSuspended = "io.waymark.Location.AccountSuspended"
    /// The person is being asked already.
    case requestInProgress = "io.waymark.Location.RequestInProgress"
    /// What was decided could not be stored, so it does not hold.
    case notStored = "io.waymark.Location.NotStored"
    /// The caller may have reduced accuracy only.
    case accuracyReduced = "io.waymark.Location.AccuracyReduced"
    /// There is no position now: reason is noReceiver, receiverLost, noFix, noTime, stale, inaccurate or
    /// reducedUnavailable.
    case positionUnknown = "io.waymark.Location.PositionUnknown"
    /// None came in time.
    case timeout = "io.waymark.Location.Timeout"
    /// The user of the caller has too many connections.
    case tooManyConnections = "io.waymark.Location.TooManyConnections"
    /// The caller is no operator.
    case manageNotOperator = "io.waymark.Manage.NotOperator"
    /// The configuration has errors; the old settings stay in force.
    case manageConfigurationInvalid = "io.waymark.Manage.ConfigurationInvalid"
    /// The journal could not take the event that records the change.
    case manageJournalUnavailable = "io.waymark.Manage.JournalUnavailable"
    /// There is no such app: no manifest and nothing stored.
    case manageNoSuchApp = "io.waymark.Manage.NoSuchApp"
    /// Several users have the app, or nobody has used it yet: the call needs a uid. Or it is a system service, and no
    /// user's: then the only one of uids is 0, and the call needs that or none.
    case manageUserNeeded = "io.waymark.Manage.UserNeeded"
    /// There is no such question, or it was answered.
    case manageNoSuchRequest = "io.waymark.Manage.NoSuchRequest"
    /// The question does not offer that choice.
    case manageNotOffered = "io.waymark.Manage.NotOffered"
    /// Only root and the daemon's own user may do this.
    case manageNotRoot = "io.waymark.Manage.NotRoot"
    /// Nothing is stored of this user id.
    case manageNoSuchUser = "io.waymark.Manage.NoSuchUser"
    /// What is stored of this user id is used already, or no account has the number.
    case manageNotRestorable = "io.waymark.Manage.NotRestorable"
    /// A restriction of this machine stands against it: see the restrictions' folder.
    case manageRestricted = "io.waymark.Manage.Restricted"
    /// Reduced positions are not available, so there is nothing to rotate.
    case manageReducedUnavailable = "io.waymark.Manage.ReducedUnavailable"
    /// The kernel cannot be asked: its routing sockets could not be opened. The message says why.
    case reachabilityUnavailable = "io.waymark.Reachability.Unavailable"
    /// The host is no name and no address.
    case reachabilityInvalidHost = "io.waymark.Reachability.InvalidHost"
    /// The caller's program lives in another network than the one that is watched, so that names are not looked up for
    /// it.
    case reachabilityOtherNetwork = "io.waymark.Reachability.OtherNetwork"
    /// The caller watches too many hosts, or has had too many names looked up in the last minute.
    case reachabilityTooManyTargets = "io.waymark.Reachability.TooManyTargets"
    /// The caller is no app, or one that may not record: the message says why and what to do.
    case recordingNotAllowed = "io.waymark.Recording.NotAllowed"
    /// The caller has no recording of this identifier.
    case recordingNoSuchRecording = "io.waymark.Recording.NoSuchRecording"
    /// The recording has no such position.
    case recordingNoSuchPosition = "io.waymark.Recording.NoSuchPosition"
    /// More than one app or user has a recording of this identifier: say which.
    case recordingAppNeeded = "io.waymark.Recording.AppNeeded"
    /// The identifier is none.
    case recordingInvalidIdentifier = "io.waymark.Recording.InvalidIdentifier"
    /// The app has as many recordings as it may have.
    case recordingTooManyRecordings = "io.waymark.Recording.TooManyRecordings"
    /// It could not be stored, or read: the disk is full or broken. Nothing was changed.
    case recordingJournalUnavailable = "io.waymark.Recording.JournalUnavailable"
    /// Not an operator.
    case recordingNotOperator = "io.waymark.Recording.NotOperator"
    /// The next position is kept and may not be read at present, because it is more exact than what the app may have
    /// now.
    case recordingWithheld = "io.waymark.Recording.Withheld"
    /// Not an operator.
    case uploadsNotOperator = "io.waymark.Uploads.NotOperator"
    /// Nothing of this name was ever attached.
    case uploadsNoSuchUpload = "io.waymark.Uploads.NoSuchUpload"
    /// The uploader does not run, so that nobody would do it: its service has to be started.
    case uploadsNotRunning = "io.waymark.Uploads.NotRunning"
    /// More than one app or user has an upload of this name: say which.
    case uploadsAppNeeded = "io.waymark.Uploads.AppNeeded"
    /// The caller is no app: the message says why and what to do.
    case uploadsNotAllowed = "io.waymark.Uploads.NotAllowed"
    /// The app has as many uploads as it may have.
    case uploadsTooManyUploads = "io.waymark.Uploads.TooManyUploads"
    /// Another process of the app is attached for this recording.
    case uploadsAlreadyAttached = "io.waymark.Uploads.AlreadyAttached"
    /// It could not be stored.
    case uploadsJournalUnavailable = "io.waymark.Uploads.JournalUnavailable"

    /// Whether it says that the caller is not allowed, as against that something does not work.
    public var isRefusal: Bool {
        switch self {
        case .agentNotAgent: true
        case .journalNotOperator: true
        case .denied: true
        case .deniedGlobally: true
        case .restricted: true
        case .notDetermined: true
        case .notInUse: true
        case .manifestMissing: true
        case .accountSuspended: true
        case .accuracyReduced: true
        case .manageNotOperator: true
        case .manageNotRoot: true
        case .reachabilityOtherNetwork: true
        case .recordingNotAllowed: true
        case .recordingNotOperator: true
        case .recordingWithheld: true
        case .uploadsNotOperator: true
        case .uploadsNotAllowed: true
        default: false
        }
    }
}
