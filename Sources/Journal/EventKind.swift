/// What an event of the journal tells of. The raw value is what the database holds: it is never renamed.
///
/// A newer release may have written others; those are read as their raw text.
public enum EventKind: String, CaseIterable, Sendable {
    /// The daemon began to serve.
    case serviceStarted
    /// The daemon ended in order.
    case serviceStopped
    /// The configuration was read again.
    case configurationReloaded
    /// A receiver began to report.
    case receiverConnected
    /// A receiver is gone.
    case receiverLost
    /// A receiver is there but silent.
    case receiverStale
    /// The position became known.
    case fixAcquired
    /// The position is no longer known.
    case fixLost
    /// The system's or a receiver's clock was set back or forth.
    case clockJumped
    /// The machine woke up from a suspend: how long that was.
    case machineResumed
    /// The journal could not be written for a while: since when, and why.
    case journalFull
    /// A damaged database was set aside: under which name.
    case journalDamaged
    /// Events are missing, all about one app where that is said: how many, from when to when, and why.
    case eventsDropped
    /// A remark of the operator.
    case note
    /// What was saved before a restart is in force again.
    case stateRestored
    /// State that could not be read was set aside: which, under which name, and why.
    case stateSetAside
    /// An app asks for something, or a person was asked: what.
    case authorizationRequested
    /// A prompt was answered or came to an end: how.
    case authorizationAnswered
    /// What is decided for an app changed: to what, and by whom.
    case authorizationChanged
    /// What was decided for an app was forgotten: by whom.
    case authorizationReset
    /// Location services were turned on: by whom.
    case servicesOn
    /// Location services were turned off: by whom.
    case servicesOff
    /// What root forbids changed: how many files cannot be read.
    case restrictionsChanged
    /// A process of an app was identified: how well.
    case appAttached
    /// An app came into use.
    case appInUse
    /// An app is no longer in use.
    case appLeftUse
    /// The last process of an app is gone.
    case appDetached
    /// An app began a background activity session.
    case holdBegan
    /// A background activity session ended.
    case holdEnded
    /// Manifests came, changed or went.
    case manifestsChanged
    /// The key of reduced accuracy was made anew.
    case reducedKeyRotated
    /// A user's login was locked.
    case userLocked
    /// A user's login was unlocked.
    case userUnlocked
    /// An agent of a user that shows prompts was registered.
    case agentRegistered
    /// An agent of a user is gone.
    case agentUnregistered
    /// What is stored of a user id is not used any more, as its account was removed or changed: why.
    case accountSuspended
    /// What is stored of a user id is used again: by whom.
    case accountRestored
    /// What was stored of a user id is erased: by whom, or because its account was missing for long enough.
    case accountErased
    /// An app got positions within an hour: how many, at which accuracy, in use and in the background. Counts only.
    case positionsSeen
    /// The way to the rest of the world changed, as clients were told: how it stands, and through which interfaces.
    case networkChanged
    /// A host that an app watches can be reached or no longer: which, and why.
    case targetChanged
    /// An app began to record, or goes on with other options: which recording.
    case recordingStarted
    /// An app stopped a recording.
    case recordingStopped
    /// A recording was erased, with all that was kept of it: which, and why.
    case recordingErased
    /// Nothing is recorded any more of a recording that goes on: which, and why.
    case recordingPaused
    /// Positions are recorded again: of which recording.
    case recordingResumed
    /// Positions of a recording were dropped before they were acknowledged: how many, from when to when, and why.
    case positionsDropped
    /// An uploader is there for a recording: which.
    case uploadStarted
    /// An upload waits: for a way to its destination or a better one, or as an operator has said so.
    case uploadPaused
    /// An upload goes on after it waited.
    case uploadResumed
    /// An upload works, after it started, waited or failed.
    case uploadSucceeded
    /// An upload does not work, or not any more for that reason: which, without an address.
    case uploadFailed
    /// A destination does not take positions: how many.
    case uploadRejected
}
