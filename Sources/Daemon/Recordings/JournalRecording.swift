import Interfaces
import Journal
import Location
import Platform

/// A recording that the journal holds, with its present state in the daemon.
@DaemonActor
final class JournalRecording {
    /// The recording as the journal last reported it.
    var stored: StoredRecording
    var track: RecordingTrack
    /// Whether the recording existed when the daemon started. If so, the position shown before the restart is already
    /// in it.
    let isOlder: Bool
    /// The receiver feed requested for this recording.
    var feed = PositionFeed.none
    /// Whether a position was handed to the journal, whether or not it is durable yet.
    var hasRecorded = false
    /// Whether the recording is treated as removed, because its app lost its authorization and it is to be erased.
    var isRevoked = false
    /// Whether the journal was requested to erase it.
    var isBeingErased = false

    init(_ stored: StoredRecording, _ verdict: RecordingVerdict, isOlder: Bool) {
        self.stored = stored
        self.isOlder = isOlder
        track = RecordingTrack(stored.options, isStarted: stored.isStarted, verdict)
    }
}

extension KnownRecording {
    /// The description of a recording for the interface.
    init(_ stored: StoredRecording, state: RecordingState, _ protection: ProtectionClass) {
        self.init(
            uid: stored.key.app.uid, app: stored.key.app.name, identifier: stored.key.identifier, id: stored.id,
            options: stored.options, isStarted: stored.isStarted, state: .init(rawValue: state.rawValue),
            protection: .init(rawValue: protection.word), startedAt: stored.startedAt.secondsSinceEpoch)
        last = stored.last
        acknowledged = stored.acknowledged
        waiting = stored.waiting
        oldestWaiting = stored.oldestWaiting?.secondsSinceEpoch
        deadLetters = stored.deadLetters
        dropped = stored.dropped
        sent = stored.sent
        filtered = stored.filtered
    }
}
