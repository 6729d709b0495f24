import JSONText
import Location
import Varlink

/// What is known of a recording: the `Recording` of `io.waymark.Recording`. Never a position.
public struct KnownRecording: Equatable, Sendable {
    /// The user whose app it is.
    public var uid: UInt32
    /// The name of the app's manifest without `.app`.
    public var app: String
    /// The app's own name for it.
    public var identifier: String
    /// What no other recording was ever called.
    public var id: RecordingID
    /// What is recorded.
    public var options: RecordingOptions
    /// Whether it goes on: started and not stopped.
    public var isStarted: Bool
    /// `recording`, `stopped`, or why nothing is recorded at present. Words this version does not know are kept.
    public var state: String
    /// Seconds since 1970.
    public var startedAt: Double
    /// The largest number that was given, 0 for none.
    public var last: Int64
    /// Everything up to this number is acknowledged.
    public var acknowledged: Int64
    /// Positions that are neither acknowledged nor dead letters.
    public var waiting: Int64
    /// When the oldest of these was, seconds since 1970.
    public var oldestWaiting: Double?
    /// Positions that wait as dead letters.
    public var deadLetters: Int64
    /// Positions that were dropped before they were acknowledged.
    public var dropped: Int64

    /// A recording that has nothing yet.
    public init(
        uid: UInt32, app: String, identifier: String, id: RecordingID, options: RecordingOptions = RecordingOptions(),
        isStarted: Bool = true, state: String, startedAt: Double
    ) {
        self.uid = uid
        self.app = app
        self.identifier = identifier
        self.id = id
        self.options = options
        self.isStarted = isStarted
        self.state = state
        self.startedAt = startedAt
        last = 0
        acknowledged = 0
        waiting = 0
        deadLetters = 0
        dropped = 0
    }

    /// Reads a recording; nil where it lacks a name, an id or a state.
    public init?(_ json: JSON) {
        guard let uid = json.userID("uid"), let app = json["app"]?.stringValue,
            let identifier = json["identifier"]?.stringValue, let state = json["state"]?.stringValue,
            let id = json["id"]?.stringValue.flatMap(RecordingID.init)
        else { return nil }
        self.init(
            uid: uid, app: app, identifier: identifier, id: id,
            options: json["options"].map(RecordingOptions.init(reply:)) ?? RecordingOptions(),
            isStarted: json["isStarted"]?.boolValue ?? false, state: state,
            startedAt: json["startedAt"]?.numberValue ?? 0)
        last = json["last"]?.integerValue ?? 0
        acknowledged = json["acknowledged"]?.integerValue ?? 0
        waiting = json["waiting"]?.integerValue ?? 0
        oldestWaiting = json["oldestWaiting"]?.numberValue
        deadLetters = json["deadLetters"]?.integerValue ?? 0
        dropped = json["dropped"]?.integerValue ?? 0
    }

    /// The recording as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("uid", uid)
            writer.member("app", app)
            writer.member("identifier", identifier)
            writer.member("id", id.description)
            writer.key("options")
            options.write(to: &writer)
            writer.member("isStarted", isStarted)
            writer.member("state", state)
            writer.member("startedAt", startedAt)
            writer.member("last", last)
            writer.member("acknowledged", acknowledged)
            writer.member("waiting", waiting)
            writer.member("oldestWaiting", oldestWaiting)
            writer.member("deadLetters", deadLetters)
            writer.member("dropped", dropped)
        }
    }
}

/// Positions of a recording: a reply of `io.waymark.Recording.Read`.
public struct RecordingPage: Equatable, Sendable {
    /// Which recording.
    public var id: RecordingID
    /// The positions, by their numbers.
    public var points: [RecordedPosition]
    /// The largest number that the recording has.
    public var last: Int64
    /// Everything up to this number is acknowledged.
    public var acknowledged: Int64

    /// Reads a reply's parameters; nil where they lack a member, or a position is none.
    public init?(_ json: JSON) {
        guard let id = json["id"]?.stringValue.flatMap(RecordingID.init), let points = json["points"]?.arrayValue,
            let last = json["last"]?.integerValue, let acknowledged = json["acknowledged"]?.integerValue
        else { return nil }
        self.id = id
        self.last = last
        self.acknowledged = acknowledged
        self.points = []
        self.points.reserveCapacity(points.count)
        for point in points {
            guard let sequence = point["sequence"]?.integerValue,
                let position = point["position"].flatMap(Position.init)
            else { return nil }
            self.points.append(RecordedPosition(recording: id, sequence: sequence, position: position))
        }
    }
}

/// A position that a destination did not take: the `DeadLetter` of `io.waymark.Recording`.
public struct KnownDeadLetter: Equatable, Sendable {
    /// Its number.
    public var sequence: Int64
    /// The position.
    public var position: Position
    /// The destination's status.
    public var status: Int
    /// The beginning of its answer, which may repeat the position: for no log.
    public var message: String
    /// Seconds since 1970.
    public var rejectedAt: Double

    /// Reads a dead letter; nil where it lacks a member.
    public init?(_ json: JSON) {
        guard let sequence = json["sequence"]?.integerValue, let position = json["position"].flatMap(Position.init),
            let status = json["status"]?.integerValue, let message = json["message"]?.stringValue,
            let rejectedAt = json["rejectedAt"]?.numberValue
        else { return nil }
        self.sequence = sequence
        self.position = position
        self.status = Int(status)
        self.message = message
        self.rejectedAt = rejectedAt
    }
}
