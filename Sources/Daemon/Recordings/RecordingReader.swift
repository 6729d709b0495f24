import Authorization
import Interfaces
import JSONText
import Journal
import Location
import Platform
import Varlink

/// A reply of `Recording.Read` that the storage thread encodes row by row. Each row passes the gate's decision at the
/// start of the read; the daemon compares it with the decision in force before it sends the reply.
struct RecordedReply: Sendable {
    private let decision: RecordedDecision
    private var writer: JSONWriter
    /// The number of positions in the reply.
    private(set) var count = 0
    /// The sequence number of the last position.
    private(set) var lastSequence: Int64
    /// Whether the next row is withheld.
    private(set) var endsWithheld = false

    /// An empty reply for positions after a sequence number.
    init(_ id: RecordingID, after: Int64, room: Int, _ decision: RecordedDecision) {
        self.decision = decision
        lastSequence = after
        writer = EncodedReply.begun()
        writer.reserveCapacity(128 + room * Self.usualBytes)
        writer.member("id", id.description)
        writer.key("points")
        writer.beginArray()
    }

    /// The typical size of an encoded position.
    private static let usualBytes = 400

    /// Appends a row. Returns false if the row is withheld.
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

    /// The complete reply.
    consuming func end(last: Int64, acknowledged: Int64, continues: Bool) -> EncodedReply {
        writer.endArray()
        writer.member("last", last)
        writer.member("acknowledged", acknowledged)
        return EncodedReply(ending: writer, continues: continues)
    }
}

/// A reply of `Recording.ReadRejected`, encoded in the same manner.
struct RejectedReply: Sendable {
    private let decision: RecordedDecision
    private var writer: JSONWriter
    /// Whether the next dead letter is withheld.
    private(set) var endsWithheld = false

    /// An empty reply.
    init(_ decision: RecordedDecision) {
        self.decision = decision
        writer = EncodedReply.begun()
        writer.key("deadLetters")
        writer.beginArray()
    }

    /// Appends a dead letter. Returns false if it is withheld.
    mutating func add(_ letter: DeadLetter) -> Bool {
        guard let disclosure = decision.view(ofRecorded: letter.position) else {
            endsWithheld = true
            return false
        }
        RecordedEncoding.write(letter, disclosure, to: &writer)
        return true
    }

    /// The complete reply.
    consuming func end() -> EncodedReply {
        writer.endArray()
        return EncodedReply(ending: writer, continues: false)
    }
}

/// A client's call of `Recording.Read`.
@DaemonActor
final class RecordingReader {
    enum State: Equatable {
        /// The reader is queued, or waits for the storage thread or for its client to read.
        case busy
        /// The reader waits for a position with a larger sequence number than this.
        case waiting(beyond: Int64)
    }

    /// The maximum number of positions in a reply if the caller names none.
    private static let usualLimit: Int64 = 200

    let call: Call
    let session: ClientSession
    /// The recording to read.
    let key: RecordingKey
    let limit: Int
    let waits: Bool
    /// The sequence number of the last position that the client has.
    var after: Int64
    /// The decision of the present or last read. If a later decision withholds more, the call ends.
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

    /// Whether a further position is possible. A client that reads after the largest number of all only waits for the
    /// end of its permission to read.
    var awaitsPositions: Bool { after < .max }
    /// Whether the call continues after a reply.
    var isStream: Bool { waits && call.wantsMore }
}
