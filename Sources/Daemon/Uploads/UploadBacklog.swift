import Journal
import Location

// An upload transmits the recording of the same name.

extension UploadKey {
    /// The upload of a recording.
    init(_ recording: RecordingKey) { self.init(app: recording.app, name: recording.identifier) }
}

extension RecordingKey {
    /// The recording that an upload transmits.
    init(_ upload: UploadKey) { self.init(app: upload.app, identifier: upload.name) }
}

extension UploadsService.Backlog {
    /// The part of a recording that is still to be uploaded.
    init(_ stored: StoredRecording) {
        waiting = stored.waiting
        oldestWaiting = stored.oldestWaiting?.secondsSinceEpoch
        deadLetters = stored.deadLetters
        dropped = stored.dropped
        sent = stored.sent
        filtered = stored.filtered
    }
}
