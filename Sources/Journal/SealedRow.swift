import Location
import Protection
import Storage

/// The place of a row of a recording: what a sealed payload is bound to.
struct RowPlace: Hashable {
    /// The key of the recording's row.
    let recording: Int64
    /// The recording's identifier, which is never used again.
    let id: RecordingID
    /// The user whose app has made the recording, which decides on the keys. It never changes.
    let user: UInt32
    /// Whether it is in the table of dead letters.
    let isDeadLetter: Bool

    /// The owner of segments of this place. A dead letter has another one than the position from which it was made, so that
    /// neither is taken for the other.
    var owner: [UInt8] { Array((isDeadLetter ? "dead letters \(id)" : "positions \(id)").utf8) }
}

/// Why the payload of a row cannot be used.
enum RowFailure: Error {
    /// The bytes were changed, or were never written by this program.
    case damaged
    /// There is no key for it at present; the row is preserved.
    case locked(StorageError)
    /// The database failed.
    case journal(StorageError)

    /// The error of a read that ends with this row; nil for a damaged row, which is skipped.
    var error: StorageError? {
        switch self {
        case .damaged: nil
        case .locked(let error), .journal(let error): error
        }
    }
}

extension StorageError {
    /// The error for data that is closed at present.
    static func protected(_ operation: String, _ key: ReadingKey) -> StorageError {
        StorageError(operation, .protectedDataUnavailable, key.obstacle)
    }
}
