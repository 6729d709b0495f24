import Authorization
import Interfaces
import Journal
import Location
import Platform
import Varlink

/// A reply of `Recording.Read` that the storage thread writes, row by row, as it goes over the wire.
struct RecordedReply: Sendable {
    private var writer: JSONWriter
    /// How many positions it has.
    private(set) var count = 0
    /// The number of the last of them.
    private(set) var lastSequence: Int64

    /// A reply without positions, of what comes after a number.
    init(_ id: RecordingID, after: Int64, room: Int) {
        lastSequence = after
        writer = EncodedReply.begun()
        writer.reserveCapacity(128 + room * Self.usualBytes)
        writer.member("id", id.description)
        writer.key("points")
        writer.beginArray()
    }

    /// What a position usually takes.
    private static let usualBytes = 400

    mutating func add(_ sequence: Int64, _ position: Position) {
        RecordedEncoding.write(sequence, position, to: &writer)
        count += 1
        lastSequence = sequence
    }

    /// The whole reply.
    consuming func end(last: Int64, acknowledged: Int64, continues: Bool) -> EncodedReply {
        writer.endArray()
        writer.member("last", last)
        writer.member("acknowledged", acknowledged)
        return EncodedReply(ending: writer, continues: continues)
    }
}

/// A client's call of `Recording.Read`.
@DaemonActor
final class RecordingReader {
    enum State: Equatable {
        /// It waits for its turn, for the storage thread or for its client.
        case busy
        /// It waits for a position with a larger number than this.
        case waiting(beyond: Int64)
    }

    let call: Call
    let session: ClientSession
    /// Whose recording.
    let key: RecordingKey
    let limit: Int
    let waits: Bool
    /// What the client has.
    var after: Int64
    var state = State.busy

    init(_ call: Call, session: ClientSession, key: RecordingKey, request: ReadRecordingRequest) {
        self.call = call
        self.session = session
        self.key = key
        limit = request.limit
        waits = request.waits
        after = request.after
    }

    /// Whether there may be a position for it some day: who reads behind the largest number there is wants to know only
    /// when that may not be read any more.
    var awaitsPositions: Bool { after < .max }
    /// Whether it goes on after a reply.
    var isStream: Bool { waits && call.wantsMore }
}
