import Journal
import Location

// An upload carries the recording of its name.

extension UploadKey {
    /// The upload of a recording.
    init(_ recording: RecordingKey) { self.init(app: recording.app, name: recording.identifier) }
}

extension RecordingKey {
    /// The recording that an upload carries.
    init(_ upload: UploadKey) { self.init(app: upload.app, identifier: upload.name) }
}

extension UploadsService.Backlog {
    /// What is still to be carried of a recording.
    init(_ stored: StoredRecording) {
        waiting = stored.waiting
        oldestWaiting = stored.oldestWaiting?.secondsSinceEpoch
        deadLetters = stored.deadLetters
        dropped = stored.dropped
    }
}
