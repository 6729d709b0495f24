import Location

/// What is to become of a recording.
enum RecordingChange: Equatable, Sendable {
    case start(RecordingKey, RecordingOptions)
    case stop(RecordingKey)
    case erase(RecordingKey)
    case acknowledge(RecordingID, upTo: Int64)
    case reject(RecordingID, Int64, status: Int, message: String)
    case revive(RecordingID, Int64)

    /// What it counts for in the bound of what waits.
    var bytes: Int {
        switch self {
        case .start(let key, _), .stop(let key), .erase(let key):
            128 + key.app.name.utf8.count + key.identifier.utf8.count
        case .reject(_, _, _, let message): 128 + message.utf8.count
        case .acknowledge, .revive: 128
        }
    }
}

/// What came of a change that is durable.
enum RecordingOutcome: Equatable, Sendable {
    /// How the recording is now.
    case recording(StoredRecording)
    /// How many were erased, or up to which number is acknowledged.
    case number(Int64)
    /// There is nothing more to say.
    case done
}

/// A change of a recording, and who is told of it once it is durable, or refused and nothing of it ever will be.
struct RecordingRequest: Sendable {
    var change: RecordingChange
    var completion: @Sendable (Result<RecordingOutcome, JournalError>) -> Void
}
