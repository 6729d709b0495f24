import JSONText
import Varlink

/// What is known of an upload: the `Upload` of `io.waymark.Uploads`.
public struct KnownUpload: Equatable, Sendable {
    /// The recording's identifier, which is the destination's name.
    public var name: String
    /// The app that carries it.
    public var app: String
    /// The app's user.
    public var uid: UInt32
    /// Whether the uploader runs and is connected.
    public var isRunning = false
    /// Whether an operator has paused it.
    public var isPaused = false
    /// How it stands, or stood when it was heard of last.
    public var standing: UploadStanding
    /// How many positions of the recording are neither acknowledged nor dead letters.
    public var waiting: Int64 = 0
    /// When the oldest of these was, seconds since 1970.
    public var oldestWaiting: Double?
    /// How many positions of the recording are dead letters.
    public var deadLetters: Int64 = 0
    /// How many positions of the recording were dropped before they were acknowledged.
    public var dropped: Int64 = 0

    /// An upload that stands like this.
    public init(name: String, app: String, uid: UInt32, standing: UploadStanding) {
        self.name = name
        self.app = app
        self.uid = uid
        self.standing = standing
    }

    /// Whether a text may be the name of an upload: letters, digits, `.`, `_` and `-`, 1 to 128, not beginning with a dot.
    public static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "._-".utf8.contains($0) }
    }

    /// Reads an upload; nil where its name, app, user or standing is missing.
    public init?(_ json: JSON) {
        guard let name = json["name"]?.stringValue, let app = json["app"]?.stringValue, let uid = json.userID("uid"),
            let standing = json["standing"].flatMap(UploadStanding.init)
        else { return nil }
        self.init(name: name, app: app, uid: uid, standing: standing)
        isRunning = json["isRunning"]?.boolValue ?? false
        isPaused = json["isPaused"]?.boolValue ?? false
        waiting = json["waiting"]?.integerValue ?? 0
        oldestWaiting = json["oldestWaiting"]?.numberValue
        deadLetters = json["deadLetters"]?.integerValue ?? 0
        dropped = json["dropped"]?.integerValue ?? 0
    }

    /// The upload as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("app", app)
            writer.member("uid", uid)
            writer.member("isRunning", isRunning)
            writer.member("isPaused", isPaused)
            writer.key("standing")
            standing.write(to: &writer)
            writer.member("waiting", waiting)
            writer.member("oldestWaiting", oldestWaiting)
            writer.member("deadLetters", deadLetters)
            writer.member("dropped", dropped)
        }
    }

    /// Reads the list of a reply; nil where it holds none. Uploads that cannot be read are left out.
    public static func list(_ json: JSON) -> [KnownUpload]? {
        json["uploads"]?.arrayValue?.compactMap(KnownUpload.init)
    }

    /// Writes the member of a reply that is a list.
    public static func write(_ uploads: [KnownUpload], to writer: inout JSONWriter) {
        writer.array("uploads") { writer in uploads.forEach { $0.write(to: &writer) } }
    }
}
