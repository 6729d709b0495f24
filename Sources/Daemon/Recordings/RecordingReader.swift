import Authorization
import Interfaces
import JSONText
import Journal
import Location
import Platform
import Varlink

/// A reply of `Recording.Read` that the storage thread writes, row by row, as it goes over the wire. Each row passes the
/// gate's decision of the time when the reading began, which is compared with the decision in force before the reply leaves.
struct RecordedReply: Sendable {
    private let decision: RecordedDecision
    private var writer: JSONWriter
    /// How many positions it has.
    private(set) var count = 0
    /// The number of the last of them.
    private(set) var lastSequence: Int64
    /// Whether the row after these is withheld.
    private(set) var endsWithheld = false

    /// A reply without positions, of what comes after a number.
    init(_ id: RecordingID, after: Int64, room: Int, _ decision: RecordedDecision) {
        self.decision = decision
        lastSequence = after
        writer = EncodedReply.begun()
        writer.reserveCapacity(128 + room * Self.usualBytes)
        writer.member("id", id.description)
        writer.key("points")
        writer.beginArray()
    }

    /// What a position usually takes.
    private static let usualBytes = 400

    /// Adds a row; false where it is withheld.
    mutating func add(_ sequence: Int64, _ position: Position) -> Bool {
        guard let disclosure = decision.view(ofRecorded: position) else {
            endsWithheld = true
            return false
        }
        RecordedEncoding.write(sequence, disclosure, to: &writer)
        count += 1
        lastSequence = sequence
        return true
    }

    /// The whole reply.
    consuming func end(last: Int64, acknowledged: Int64, continues: Bool) -> EncodedReply {
        writer.endArray()
        writer.member("last", last)
        writer.member("acknowledged", acknowledged)
        return EncodedReply(ending: writer, continues: continues)
    }
}

/// A reply of `Recording.ReadRejected`, likewise.
struct RejectedReply: Sendable {
    private let decision: RecordedDecision
    private var writer: JSONWriter
    /// Whether the dead letter after these is withheld.
    private(set) var endsWithheld = false

    /// A reply without dead letters.
    init(_ decision: RecordedDecision) {
        self.decision = decision
        writer = EncodedReply.begun()
        writer.key("deadLetters")
        writer.beginArray()
    }

    /// Adds a dead letter; false where it is withheld.
    mutating func add(_ letter: DeadLetter) -> Bool {
        guard let disclosure = decision.view(ofRecorded: letter.position) else {
            endsWithheld = true
            return false
        }
        RecordedEncoding.write(letter, disclosure, to: &writer)
        return true
    }

    /// The whole reply.
    consuming func end() -> EncodedReply {
        writer.endArray()
        return EncodedReply(ending: writer, continues: false)
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

    /// How many positions a reply has at most where the caller does not say.
    private static let usualLimit: Int64 = 200

    let call: Call
    let session: ClientSession
    /// Whose recording.
    let key: RecordingKey
    let limit: Int
    let waits: Bool
    /// What the client has.
    var after: Int64
    /// The decision by which it reads, or read last. Where a later one withholds more, the reader is ended.
    var decision: RecordedDecision
    var state = State.busy

    init(
        _ call: Call, session: ClientSession, key: RecordingKey, request: RecordingInterface.Read,
        _ decision: RecordedDecision
    ) {
        self.call = call
        self.session = session
        self.key = key
        limit = Int(request.limit ?? Self.usualLimit)
        waits = request.wait ?? false
        after = request.after
        self.decision = decision
    }

    /// Whether there may be a position for it some day: who reads behind the largest number there is wants to know only
    /// when that may not be read any more.
    var awaitsPositions: Bool { after < .max }
    /// Whether it goes on after a reply.
    var isStream: Bool { waits && call.wantsMore }
}
