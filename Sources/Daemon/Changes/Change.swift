import Authorization
import Configuration
import Journal
import Location
import NetworkPaths
import Reachability
import RegionStorage
import Storage

/// A change that one part of the daemon reports to the others. `Daemon.react(to:)` notifies them, in a fixed order.
enum Change {
    // Positions

    /// An accepted fix from which reduced positions are made; sent before `fix`.
    case reducibleFix(Fix)
    /// The first report of an epoch for which a more complete one is expected; sent before `fix`, which has all data of
    /// the epoch.
    case firstReport(Fix)
    /// A fix that the filter accepted.
    case fix(Fix)
    /// An accepted fix that arrived while no daemon ran and is stale; sent instead of the three above.
    case pastFix(Fix)
    /// A new reduced position.
    case reducedFix(ReducedFix)
    /// The satellites in view of a receiver.
    case sky(SkyView)
    /// The heading of a compass.
    case heading(Heading)
    /// There is no position of this accuracy any more, or the reason has changed.
    case positionUnavailable(PositionUnavailable, PositionFeed)

    // Authorization

    /// The earlier decisions are in effect; these are the users with decisions.
    case authorizationLoaded(users: Set<UInt32>)
    /// No call is delayed any more for the identity or the authorization of its caller.
    case everyProgramKnown
    /// An app's authorization has changed.
    case authorizationChanged(AppID, AuthorizationState)
    /// An app has come into use, or has left use.
    case useChanged(AppID, isInUse: Bool)
    /// The decision about an app has changed, even if that does not change its present access.
    case grantChanged(AppID)
    /// An app loses access to positions, including queued ones, or regains it.
    case accessChanged(AppID)
    /// A connection now belongs to another app, to an app for the first time, or to none.
    case identityChanged(ClientSession)
    /// A connection was closed.
    case connectionClosed(ClientSession)
    /// A process of an app was identified, has ended, or was frozen or thawed.
    case processesChanged(AppID)
    /// A process's control group was frozen or thawed.
    case processFroze(Policy.ProcessID, isFrozen: Bool)
    /// The manifest by which a process was identified has changed.
    case identityOutdated(Policy.ProcessID)
    /// A change that concerns every client, including those of no app: of manifests or operators.
    case everythingChanged
    /// Location services were turned off.
    case servicesTurnedOff

    // Prompts

    /// A prompt was raised, and counts towards the limits.
    case promptRaised(Prompt)
    /// A prompt was answered or withdrawn.
    case promptEnded(UInt64)
    /// An agent has to show a prompt.
    case promptShown(Prompt, to: Policy.AgentID)
    /// The agents of the prompt's user have to withdraw it.
    case promptWithdrawn(Prompt)
    /// An operator has reset an app, or all apps for nil, so its limits of prompts are reset.
    case promptLimitsReset(AppID?)
    /// The policy refuses a background activity session, or ends it.
    case holdRefused(Policy.HoldID)
    /// A background activity session has ended with its process or its connection.
    case holdLost(Policy.HoldID)
    /// A user's apps have other background activity sessions than before.
    case holdsChanged(uid: UInt32)

    // Apps

    /// Manifests have changed.
    case manifestsChanged
    /// Restrictions have changed.
    case restrictionsChanged
    /// The manifests of some users have become known.
    case homesKnown
    /// The programs of clients can be identified, or the wait for the inspector has ended.
    case programsSettled

    // Users

    /// A user id was found to belong to an account, or no longer to one.
    case accountChanged(UInt32)
    /// A user was found to be an operator, or no longer one.
    case operatorChanged(uid: UInt32)
    /// A process of a user was identified as an app's or an operator's, or data of the user will be stored.
    case userSeen(UInt32, stores: Bool)
    /// The presence, activity or lock of a user may have changed.
    case userStatesChanged
    /// A user's screen was locked, or is to be locked.
    case screenLocked(uid: UInt32)
    /// The last login session of a user has ended.
    case sessionsEnded(uid: UInt32)
    /// logind reports the screens of these users as locked, and no others.
    case screensChanged(Set<UInt32>)
    /// Nobody has used the sessions at a seat since this instant, in nanoseconds of CLOCK_MONOTONIC; nil if somebody does, or it
    /// is not known.
    case idlenessChanged(since: UInt64?)
    /// A user's home folder was read, for the first time or again, before its manifests are used.
    case homeExamined(UInt32)

    // Recordings

    /// The journal has more positions of a recording, or the recording has changed otherwise.
    case recordingChanged(JournalRecording)
    /// An app's recordings may or may no longer be read, or one of them was removed.
    case recordingReadersChanged(AppID)
    /// A recording was erased.
    case recordingErased(RecordingKey)

    // Protection

    /// The machine's secret was read or made.
    case machineSecretFound(MachineSecretReport)
    /// A reader of a recording waits until it is unlocked.
    case recordingLocked(RecordingKey)
    /// Protected data was locked or unlocked, will be locked soon, or a passphrase was set.
    case protectedDataChanged

    // Regions

    /// The stored monitors, or that they could not be read. Reported once.
    case regionsLoaded
    /// Whether the regions of an owner are monitored may have changed.
    case regionAccessChanged(RegionOwner)
    /// Events of a monitor were stored.
    case regionEventsStored(MonitorKey)
    /// Events of a monitor were acknowledged.
    case regionEventsAcknowledged(MonitorKey)
    /// A monitor was removed.
    case regionMonitorRemoved(MonitorKey)

    // Journal

    /// The stored decisions and recordings, when the journal is open or has failed to open. Reported once.
    case journalLoaded(LoadedAuthorization, LoadedRecordings)
    /// The journal works, is full, or has failed.
    case journalStateChanged
    /// Another daemon owns the state directory.
    case stateDirectoryInUse(StorageError)
    /// The journal has committed these events.
    case eventsCommitted([StoredEvent])
    /// Some recordings have changed in the journal. The list contains all recordings.
    case recordingsStored([StoredRecording])
    /// An operator is about to read the record of delivered positions. The counts of the present hour have to be
    /// written first.
    case seenPositionsRequested
    /// Stored state could not be used.
    case stateLost(StateLoss)

    // Network

    /// The name servers, or another file on which lookups of names depend, have changed.
    case nameServersChanged
    /// What NetworkManager reports about the costs of interfaces has changed.
    case networkCostsChanged(CostReport)
    /// The path to other networks has changed.
    case networkPathChanged(NetworkPath)
    /// A watched host has changed.
    case targetChanged(TargetKey, TargetReachability)
    /// The name of a watched host was looked up, with or without a result.
    case nameLookedUp(TargetKey)
    /// The path has changed, for the journal: reported after all clients were notified.
    case networkPathRecorded(NetworkPath)
    /// All clients were notified of what has changed in the network.
    case networkSettled
    /// The status of a watched host has changed, for the journal: reported after all clients were notified.
    case hostStatusChanged(WatchedHost, TargetReachability)

    // Status and settings

    /// A reload has read another configuration, which is now in effect.
    case configurationChanged(Configuration)

    /// Something has changed that the status line shown by systemd may include.
    case statusChanged
    /// Something has changed that only the full status includes.
    case statusDetailChanged
}
