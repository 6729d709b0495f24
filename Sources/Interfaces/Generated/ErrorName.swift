// Made from the interfaces' texts by `make interfaces`: change these, not this file.

/// The errors of the daemon's interfaces, by their full names.
public enum ErrorName: String, CaseIterable, Sendable {
    /// The caller may not be an agent; the message says why.
    case agentNotAgent = "io.waymark.Agent.NotAgent"
    /// This user has no such prompt, or it is already answered.
    case agentUnknownPrompt = "io.waymark.Agent.UnknownPrompt"
    /// The prompt does not offer that choice.
    case agentNotOffered = "io.waymark.Agent.NotOffered"
    /// The answer could not be stored, so nothing that it allows is in force.
    case agentNotStored = "io.waymark.Agent.NotStored"
    /// The caller is no app, or its user's data is suspended; or it is an app, and the method is for programs with the
    /// user's rights. The message says what to do.
    case identityNotAllowed = "io.waymark.Identity.NotAllowed"
    /// The manifest of the app does not state why it tracks: the key is missing. There is no prompt without it.
    case identityPurposeMissing = "io.waymark.Identity.PurposeMissing"
    /// The person is asked already, because of a request of this process.
    case identityRequestInProgress = "io.waymark.Identity.RequestInProgress"
    /// The identifier or decision could not be stored, so it is not in force and the app does not receive it: the disk
    /// is full or broken. Repeat the call later.
    case identityNotStored = "io.waymark.Identity.NotStored"
    /// The caller is no operator and, for Read, no app either.
    case journalNotOperator = "io.waymark.Journal.NotOperator"
    /// The journal cannot be read or written at present.
    case journalJournalUnavailable = "io.waymark.Journal.JournalUnavailable"
    /// The person in charge denied it.
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
    /// No manifest matches the caller, or the manifest was removed.
    case manifestMissing = "io.waymark.Location.ManifestMissing"
    /// The stored data of the caller's user is not used: the account was removed, or the number belongs to another
    /// account.
    case accountSuspended = "io.waymark.Location.AccountSuspended"
    /// This process has requested the prompt that is shown to the person, or the prompt is about another request.
    case requestInProgress = "io.waymark.Location.RequestInProgress"
    /// The decision could not be stored, so it is not in force.
    case notStored = "io.waymark.Location.NotStored"
    /// The caller may have reduced accuracy only.
    case accuracyReduced = "io.waymark.Location.AccuracyReduced"
    /// There is no position now: reason is noReceiver, receiverLost, noFix, noTime, stale, inaccurate or
    /// reducedUnavailable.
    case positionUnknown = "io.waymark.Location.PositionUnknown"
    /// No position was available in time.
    case timeout = "io.waymark.Location.Timeout"
    /// The user of the caller has too many connections, or calls that wait.
    case tooManyConnections = "io.waymark.Location.TooManyConnections"
    /// The caller is no operator.
    case manageNotOperator = "io.waymark.Manage.NotOperator"
    /// The configuration has errors; the old settings stay in force.
    case manageConfigurationInvalid = "io.waymark.Manage.ConfigurationInvalid"
    /// The event that records the change could not be stored, or not everything could be erased.
    case manageJournalUnavailable = "io.waymark.Manage.JournalUnavailable"
    /// There is no such app: neither a manifest nor stored data.
    case manageNoSuchApp = "io.waymark.Manage.NoSuchApp"
    /// Several users have the app, or no user has used it yet: the call needs a uid. Or the app is a system service and
    /// belongs to no user: then `uids` contains only 0, and the call needs that uid or none.
    case manageUserNeeded = "io.waymark.Manage.UserNeeded"
    /// There is no such prompt, or it is already answered.
    case manageNoSuchRequest = "io.waymark.Manage.NoSuchRequest"
    /// The prompt does not offer that choice.
    case manageNotOffered = "io.waymark.Manage.NotOffered"
    /// Only root and the daemon's own user may do this.
    case manageNotRoot = "io.waymark.Manage.NotRoot"
    /// No data is stored of this user id.
    case manageNoSuchUser = "io.waymark.Manage.NoSuchUser"
    /// The stored data of this user id is in use already, or is being erased or restored; or no account has the number,
    /// or it is not known whether one has it.
    case manageNotRestorable = "io.waymark.Manage.NotRestorable"
    /// A restriction of this machine forbids it: see the restrictions' folder.
    case manageRestricted = "io.waymark.Manage.Restricted"
    /// Reduced positions are not available, so there is nothing to rotate.
    case manageReducedUnavailable = "io.waymark.Manage.ReducedUnavailable"
    /// The secret is none of this lock.
    case protectionWrongSecret = "io.waymark.Protection.WrongSecret"
    /// There were too many wrong secrets: the next attempt is accepted after so many seconds.
    case protectionTooManyAttempts = "io.waymark.Protection.TooManyAttempts"
    /// No passphrase was set.
    case protectionNoPassphrase = "io.waymark.Protection.NoPassphrase"
    /// A passphrase was set already.
    case protectionPassphraseExists = "io.waymark.Protection.PassphraseExists"
    /// The new passphrase is empty or too long, the words are no recovery key, or there is no new secret of the
    /// machine.
    case protectionInvalidSecret = "io.waymark.Protection.InvalidSecret"
    /// There is no secret of this number, it is the last one, or there are as many as there may be.
    case protectionInvalidSlot = "io.waymark.Protection.InvalidSlot"
    /// Another operation on these keys, or an exchange of the machine's secret, is in progress.
    case protectionBusy = "io.waymark.Protection.Busy"
    /// The machine's secret or the file of keys cannot be used or written, or the file of keys has not been read yet.
    /// Or the data of the user is being erased or is suspended, protection is being switched off, or the user cannot
    /// have keys. The message says which.
    case protectionUnavailable = "io.waymark.Protection.Unavailable"
    /// Not an operator, an app, or the data of another user.
    case protectionNotOperator = "io.waymark.Protection.NotOperator"
    /// Not waymark-sync.
    case protectionNotAllowed = "io.waymark.Protection.NotAllowed"
    /// The kernel cannot be queried: its routing sockets could not be opened. The message says why.
    case reachabilityUnavailable = "io.waymark.Reachability.Unavailable"
    /// The host is neither a name nor an address.
    case reachabilityInvalidHost = "io.waymark.Reachability.InvalidHost"
    /// The caller runs in another network namespace than the daemon watches, so names are not resolved for it.
    case reachabilityOtherNetwork = "io.waymark.Reachability.OtherNetwork"
    /// The caller watches too many hosts, or had too many names resolved within the last minute.
    case reachabilityTooManyTargets = "io.waymark.Reachability.TooManyTargets"
    /// The caller is no app, or an app that may not record: the message says why and what to do.
    case recordingNotAllowed = "io.waymark.Recording.NotAllowed"
    /// The caller has no recording of this identifier.
    case recordingNoSuchRecording = "io.waymark.Recording.NoSuchRecording"
    /// The recording has no such position.
    case recordingNoSuchPosition = "io.waymark.Recording.NoSuchPosition"
    /// More than one app or user has a recording of this identifier: the call needs app or uid.
    case recordingAppNeeded = "io.waymark.Recording.AppNeeded"
    /// The identifier is not valid.
    case recordingInvalidIdentifier = "io.waymark.Recording.InvalidIdentifier"
    /// The app has as many recordings as it may have.
    case recordingTooManyRecordings = "io.waymark.Recording.TooManyRecordings"
    /// The change could not be stored, or the data not be read: the disk is full or broken. Nothing was changed.
    case recordingJournalUnavailable = "io.waymark.Recording.JournalUnavailable"
    /// The data is sealed with a class of data protection that cannot be read at present. It is retained.
    case recordingProtectedDataUnavailable = "io.waymark.Recording.ProtectedDataUnavailable"
    /// Not an operator.
    case recordingNotOperator = "io.waymark.Recording.NotOperator"
    /// The next position is more exact than the app may have now. It is retained and cannot be read at present.
    case recordingWithheld = "io.waymark.Recording.Withheld"
    /// The caller is no app, and no operator's program either: the message says what to do.
    case regionsNotAllowed = "io.waymark.Regions.NotAllowed"
    /// Not an operator.
    case regionsNotOperator = "io.waymark.Regions.NotOperator"
    /// The caller has no monitor of this name.
    case regionsNoSuchMonitor = "io.waymark.Regions.NoSuchMonitor"
    /// More than one app or user has a monitor of this name: the call needs app or uid.
    case regionsAppNeeded = "io.waymark.Regions.AppNeeded"
    /// The name of the monitor, or the identifier of the region at this index of the call, from 0, is not valid.
    case regionsInvalidIdentifier = "io.waymark.Regions.InvalidIdentifier"
    /// The region at this index of the call, from 0, is none; the message names the ring and the point, never a
    /// coordinate.
    case regionsInvalidRegion = "io.waymark.Regions.InvalidRegion"
    /// The caller has as many monitors as it may have.
    case regionsTooManyMonitors = "io.waymark.Regions.TooManyMonitors"
    /// The monitor, the caller or its user has as many regions as it may have.
    case regionsTooManyRegions = "io.waymark.Regions.TooManyRegions"
    /// This connection has staged no regions for the monitor, or the daemon has restarted since: add them again.
    case regionsNothingStaged = "io.waymark.Regions.NothingStaged"
    /// The monitor has no event with such a number.
    case regionsNoSuchEvent = "io.waymark.Regions.NoSuchEvent"
    /// The regions could not be stored or read: the disk is full or broken. Nothing was changed.
    case regionsRegionsUnavailable = "io.waymark.Regions.RegionsUnavailable"
    /// The regions are sealed, and the data was not unlocked since the daemon started. They are retained; nothing was
    /// changed.
    case regionsProtectedDataUnavailable = "io.waymark.Regions.ProtectedDataUnavailable"
    /// Not an operator.
    case uploadsNotOperator = "io.waymark.Uploads.NotOperator"
    /// No uploader of this name has ever attached.
    case uploadsNoSuchUpload = "io.waymark.Uploads.NoSuchUpload"
    /// The uploader does not run, so the command has no effect: its service has to be started.
    case uploadsNotRunning = "io.waymark.Uploads.NotRunning"
    /// More than one app or user has an upload of this name: the call needs app or uid.
    case uploadsAppNeeded = "io.waymark.Uploads.AppNeeded"
    /// The caller is no app: the message says why and what to do.
    case uploadsNotAllowed = "io.waymark.Uploads.NotAllowed"
    /// The app has as many uploads as it may have.
    case uploadsTooManyUploads = "io.waymark.Uploads.TooManyUploads"
    /// Another process of the app is attached for this recording.
    case uploadsAlreadyAttached = "io.waymark.Uploads.AlreadyAttached"
    /// The change could not be stored.
    case uploadsJournalUnavailable = "io.waymark.Uploads.JournalUnavailable"
    /// The caller may not receive orders; the message says why.
    case wakerNotWaker = "io.waymark.Waker.NotWaker"
    /// The caller is no app, may not decide about this one, or may report no pushes: the message says what to do.
    case wakingNotAllowed = "io.waymark.Waking.NotAllowed"
    /// The manifest of the app does not name this event in [Wake] For=, or has no such section.
    case wakingNotDeclared = "io.waymark.Waking.NotDeclared"
    /// Such an event cannot be requested here, or the host is missing or not valid.
    case wakingInvalidSubscription = "io.waymark.Waking.InvalidSubscription"
    /// The app has as many hosts as it may have.
    case wakingTooManySubscriptions = "io.waymark.Waking.TooManySubscriptions"
    /// There is no event with such a number.
    case wakingNoSuchEvent = "io.waymark.Waking.NoSuchEvent"
    /// There is no such app that could be woken.
    case wakingNoSuchApp = "io.waymark.Waking.NoSuchApp"
    /// The disk is full or broken. Nothing was changed.
    case wakingNotStored = "io.waymark.Waking.NotStored"

    /// Whether it means that the caller is not allowed, rather than that something failed.
    public var isRefusal: Bool {
        switch self {
        case .agentNotAgent: true
        case .identityNotAllowed: true
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
        case .protectionNotOperator: true
        case .protectionNotAllowed: true
        case .reachabilityOtherNetwork: true
        case .recordingNotAllowed: true
        case .recordingNotOperator: true
        case .recordingWithheld: true
        case .regionsNotAllowed: true
        case .regionsNotOperator: true
        case .uploadsNotOperator: true
        case .uploadsNotAllowed: true
        case .wakerNotWaker: true
        case .wakingNotAllowed: true
        default: false
        }
    }
}
