import Authorization
import Journal
import Location
import NetworkPaths

/// Something that one part of the daemon reports to the others. `Daemon.react(to:)` says who hears of it, and in which order.
enum Change {
    // Positions

    /// A believed fix of which reduced positions are made; before `fix`.
    case reducibleFix(Fix)
    /// The first report of an epoch for which a fuller one is expected; before `fix`, which has all that is known of it.
    case firstReport(Fix)
    /// A fix that the filter believed.
    case fix(Fix)
    /// A believed fix that came while no daemon ran and is stale; instead of the three above.
    case pastFix(Fix)
    /// A new reduced position.
    case reducedFix(ReducedFix)
    /// What a receiver sees of the sky.
    case sky(SkyView)
    /// There is no longer a position of this kind, or the reason is another one.
    case positionUnavailable(PositionUnavailable, PositionFeed)

    // Authorization

    /// What was decided before the start is in force.
    case authorizationLoaded
    /// Nobody waits any more for what everybody's programs are judged by.
    case everyProgramKnown
    /// An app's authorization, or whether it is in use, has changed.
    case authorizationChanged(AppID)
    /// What is decided for an app has changed, whether that changes what it may have now or not.
    case grantChanged(AppID)
    /// An app gets nothing from now on, not even what is queued, or gets positions again.
    case accessChanged(AppID)
    /// A connection is now of another app, of one, or of none.
    case identityChanged(ClientSession)
    /// Something changed that concerns every client, those of no app too: manifests, operators.
    case everythingChanged
    /// Location services are off from now on.
    case servicesTurnedOff

    // Users

    /// A user id was found to belong to an account, or not to any more.
    case accountChanged(UInt32)
    /// A process of a user's was found to be an app's or an operator's, or something of the user is to be stored.
    case userSeen(UInt32, stores: Bool)
    /// A user's home folder was looked at, for the first time or again.
    case homeExamined(UInt32)

    // Recordings

    /// The journal has more of a recording, or the recording has changed otherwise.
    case recordingChanged(JournalRecording)
    /// An app's recordings may or may no longer be read, or one of them is gone.
    case recordingReadersChanged(AppID)
    /// A recording is no more.
    case recordingErased(RecordingKey)

    // Journal

    /// The journal is open, or never will be: what it has stored of authorization and of recordings. Reported once.
    case journalLoaded(LoadedAuthorization, LoadedRecordings)
    /// The journal runs, is full, or has failed.
    case journalStateChanged
    /// Another daemon has the state directory.
    case stateDirectoryInUse(JournalError)
    /// These events are durable.
    case eventsCommitted([StoredEvent])
    /// Some recordings have changed in the journal: these are all there are.
    case recordingsStored([StoredRecording])
    /// An operator is about to read who saw positions, and what was counted of the present hour is to be written first.
    case seenPositionsRequested
    /// Something that was saved could not be used.
    case stateLost(StateLoss)

    // Network

    /// A host that is watched has another status, which everybody who watches it knows.
    case targetChanged(WatchedHost, TargetReachability)

    // Status

    /// Something has changed that the one line of the service's status may show.
    case statusChanged
    /// Something has changed that only the whole status shows.
    case statusDetailChanged
}
