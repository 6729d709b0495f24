import Location
import Storage

/// A change of a recording.
enum RecordingChange: Equatable, Sendable {
    case start(RecordingKey, RecordingOptions)
    case stop(RecordingKey)
    case erase(RecordingKey)
    case acknowledge(RecordingID, upTo: Int64, sent: Int64, filtered: Int64)
    case reject(RecordingID, Int64, status: Int, message: String)
    case revive(RecordingID, Int64)

    /// The size of the change for the limit of pending changes.
    var bytes: Int {
        switch self {
        case .start(let key, _), .stop(let key), .erase(let key):
            128 + key.app.name.utf8.count + key.identifier.utf8.count
        case .reject(_, _, _, let message): 128 + message.utf8.count
        case .acknowledge, .revive: 128
        }
    }
}

/// The outcome of a durable change.
enum RecordingOutcome: Equatable, Sendable {
    /// The recording after the change.
    case recording(StoredRecording)
    /// The number of erased rows, or the new cursor.
    case number(Int64)
    /// There is no further result.
    case done
}

/// A change of a recording with its completion, which is called when the change is durable or has been refused
/// permanently.
struct RecordingRequest: Sendable {
    var change: RecordingChange
    var completion: @Sendable (Result<RecordingOutcome, StorageError>) -> Void
}
