/// The kind of an event. The raw value is stored in the database and is never renamed.
///
/// A newer release may have written other kinds, which are read as their raw text.
public enum EventKind: String, CaseIterable, Sendable {
    /// The daemon began to serve.
    case serviceStarted
    /// The daemon ended in order.
    case serviceStopped
    /// The configuration was read again.
    case configurationReloaded
    /// A receiver began to report.
    case receiverConnected
    /// A receiver was disconnected.
    case receiverLost
    /// A receiver is connected but silent.
    case receiverStale
    /// The position became known.
    case fixAcquired
    /// The position is no longer known.
    case fixLost
    /// The system's or a receiver's clock was set.
    case clockJumped
    /// The machine resumed from sleep: the duration.
    case machineResumed
    /// The journal could not be written for a while: the period and the reason.
    case journalFull
    /// A damaged database was set aside: its new name.
    case journalDamaged
    /// Events are missing, all about one app if one is named: their number, their period and the reason.
    case eventsDropped
    /// A note of the operator.
    case note
    /// State saved before a restart is in force again.
    case stateRestored
    /// Unreadable state was set aside: which, its new name, and the reason.
    case stateSetAside
    /// An app requested authorization, or a person was asked: for what.
    case authorizationRequested
    /// A prompt was answered or ended: the outcome.
    case authorizationAnswered
    /// The decision for an app changed: the decision and who made it.
    case authorizationChanged
    /// The decision for an app was removed: by whom.
    case authorizationReset
    /// Location services were turned on: by whom.
    case servicesOn
    /// Location services were turned off: by whom.
    case servicesOff
    /// Root's restrictions changed: the number of unreadable files.
    case restrictionsChanged
    /// A process of an app was identified: with which assurance.
    case appAttached
    /// An app came into use.
    case appInUse
    /// An app is no longer in use.
    case appLeftUse
    /// The last process of an app ended.
    case appDetached
    /// An app began a background activity session.
    case holdBegan
    /// A background activity session ended.
    case holdEnded
    /// Manifests were added, changed or removed.
    case manifestsChanged
    /// The key of reduced accuracy was replaced.
    case reducedKeyRotated
    /// A user's login was locked.
    case userLocked
    /// A user's login was unlocked.
    case userUnlocked
    /// An agent of a user that shows prompts was registered.
    case agentRegistered
    /// An agent of a user disconnected.
    case agentUnregistered
    /// The data stored for a user id is no longer used, because its account was removed or changed: the reason.
    case accountSuspended
    /// The data stored for a user id is used again: by whose decision.
    case accountRestored
    /// The data stored for a user id was erased: by whom, or because its account was missing for long enough.
    case accountErased
    /// An app received positions within an hour: how many, at which accuracy, in use and in the background. Counts
    /// only.
    case positionsSeen
    /// The network connection that clients see changed: its status and its interfaces.
    case networkChanged
    /// The reachability of a host that an app watches changed: which host, and the reason.
    case targetChanged
    /// An app started a recording, or changed its options: which recording.
    case recordingStarted
    /// An app stopped a recording.
    case recordingStopped
    /// A recording was erased with all its data: which, and the reason.
    case recordingErased
    /// A started recording no longer records positions: which, and the reason.
    case recordingPaused
    /// Positions are recorded again: of which recording.
    case recordingResumed
    /// Positions of a recording were dropped before they were acknowledged: their number, their period and the reason.
    case positionsDropped
    /// An uploader for a recording connected: which.
    case uploadStarted
    /// An upload waits for a network path to its destination or for a better one, or was paused by an operator.
    case uploadPaused
    /// An upload continues after it waited.
    case uploadResumed
    /// An upload works, after it started, waited or failed.
    case uploadSucceeded
    /// An upload fails, or fails for another reason: the reason, without an address.
    case uploadFailed
    /// A destination refuses positions: how many.
    case uploadRejected
}
