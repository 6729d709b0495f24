import Interfaces
import Journal
import Platform

/// A recording that the journal holds, and what it does with fixes.
@DaemonActor
final class JournalRecording {
    /// As the journal told last.
    var stored: StoredRecording
    var track: RecordingTrack
    /// Whether it was there when the daemon started: what is shown of before is in it already.
    let isOlder: Bool
    /// What of the receiver was asked for on its behalf.
    var feed = PositionFeed.none
    /// Whether a position was given to the journal, whether that is durable or not.
    var hasRecorded = false
    /// Whether it is to go and counts as gone, since its app lost its authorization.
    var isRevoked = false
    /// Whether the journal was told to erase it.
    var isBeingErased = false

    init(_ stored: StoredRecording, _ verdict: RecordingVerdict, isOlder: Bool) {
        self.stored = stored
        self.isOlder = isOlder
        track = RecordingTrack(stored.options, isStarted: stored.isStarted, verdict)
    }
}

extension KnownRecording {
    /// What is told of a recording that the journal holds.
    init(_ stored: StoredRecording, state: RecordingState) {
        self.init(
            uid: stored.key.app.uid, app: stored.key.app.name, identifier: stored.key.identifier, id: stored.id,
            options: stored.options, isStarted: stored.isStarted, state: state.rawValue,
            startedAt: stored.startedAt.secondsSinceEpoch)
        last = stored.last
        acknowledged = stored.acknowledged
        waiting = stored.waiting
        oldestWaiting = stored.oldestWaiting?.secondsSinceEpoch
        deadLetters = stored.deadLetters
        dropped = stored.dropped
    }
}
