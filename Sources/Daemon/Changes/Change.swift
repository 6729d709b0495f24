import Authorization
import Journal
import Location
import NetworkPaths

/// A change that one part of the daemon reports to the others. `Daemon.react(to:)` defines which parts handle it, and
/// in which order.
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
    /// The satellites that a receiver sees.
    case sky(SkyView)
    /// There is no position of this accuracy any more, or the reason has changed.
    case positionUnavailable(PositionUnavailable, PositionFeed)

    // Authorization

    /// The authorizations stored before the start are in force.
    case authorizationLoaded
    /// The identification of every waiting client's program is complete.
    case everyProgramKnown
    /// An app's authorization, or whether it is in use, has changed.
    case authorizationChanged(AppID)
    /// The decision about an app has changed, whether or not this changes what the app may have now.
    case grantChanged(AppID)
    /// An app loses access to positions, including queued ones, or regains it.
    case accessChanged(AppID)
    /// A connection now belongs to another app, to an app for the first time, or to none.
    case identityChanged(ClientSession)
    /// Something changed that concerns every client, including those without an app: manifests or operators.
    case everythingChanged
    /// Location services were turned off.
    case servicesTurnedOff

    // Users

    /// A user id was found to belong to an account, or no longer to one.
    case accountChanged(UInt32)
    /// A process of a user was identified as an app's or an operator's, or data of the user is to be stored.
    case userSeen(UInt32, stores: Bool)
    /// A user's home folder was read, for the first time or again.
    case homeExamined(UInt32)

    // Recordings

    /// The journal has more positions of a recording, or the recording has changed otherwise.
    case recordingChanged(JournalRecording)
    /// The permission to read an app's recordings has changed, or one of them was removed.
    case recordingReadersChanged(AppID)
    /// A recording was erased.
    case recordingErased(RecordingKey)

    // Journal

    /// The journal is open, or failed to open: the authorizations and recordings that it has stored. Reported once.
    case journalLoaded(LoadedAuthorization, LoadedRecordings)
    /// The journal runs, is full, or has failed.
    case journalStateChanged
    /// Another daemon has the state directory.
    case stateDirectoryInUse(JournalError)
    /// Some recordings have changed in the journal. The list contains all recordings.
    case eventsCommitted([StoredEvent])
    /// An operator is about to read the record of delivered positions. The counts of the present hour are to be written
    /// first.
    case recordingsStored([StoredRecording])
    /// An operator is about to read who saw positions, and what was counted of the present hour is to be written first.
    case seenPositionsRequested
    /// Stored state could not be used.
    case stateLost(StateLoss)

    // Network

    /// The status of a watched host has changed, after all its watchers were notified.
    case targetChanged(WatchedHost, TargetReachability)

    // Status

    /// Something has changed that the status line shown by systemd may include.
    case statusChanged
    /// Something has changed that only the full status includes.
    case statusDetailChanged
}
