import JSONText
import Varlink

/// Which upload an operator means: the parameters of `Pause`, `Resume`, `Flush` and `RetryRejected` of
/// `io.waymark.Uploads`.
public struct UploadChoice: Equatable, Sendable {
    /// The recording's identifier.
    public var name: String
    /// The app that carries it; nil where the daemon is to find out.
    public var app: String?
    /// Its user; nil where the daemon is to find out.
    public var uid: UInt32?

    /// The upload of this name, of this app and user where they are given.
    public init(name: String, app: String? = nil, uid: UInt32? = nil) {
        self.name = name
        self.app = app
        self.uid = uid
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        name = try json.required("name") { $0 }
        app = try json.string("app")
        uid = try json.user("uid")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("app", app)
            writer.member("uid", uid)
        }
    }
}

/// For which recording an uploader is there: the parameters of `io.waymark.Uploads.Attach`.
public struct AttachRequest: Equatable, Sendable {
    /// The recording's identifier.
    public var name: String

    /// For the recording of this identifier.
    public init(name: String) { self.name = name }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        name = try json.required("name") { KnownUpload.isName($0) ? $0 : nil }
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("name", name) }
    }
}

/// What an uploader is told: a reply of `io.waymark.Uploads.Attach`.
public struct UploaderOrder: Equatable, Sendable {
    /// What an operator can want of an uploader.
    public enum Command: String, CaseIterable, Sendable {
        /// Send what waits now, whatever the way costs and however long it was to wait.
        case flush
        /// Try the dead letters once more.
        case retryRejected
    }

    /// What is wanted; nil where nothing is but what `isPaused` says.
    public var command: Command?
    /// Whether nothing is to be sent.
    public var isPaused: Bool

    /// An order of these parts.
    public init(command: Command? = nil, isPaused: Bool) {
        self.command = command
        self.isPaused = isPaused
    }

    /// Reads a reply; nil where it does not say whether there is a pause. A command that this version does not know is
    /// none.
    public init?(_ json: JSON) {
        guard let isPaused = json["isPaused"]?.boolValue else { return nil }
        self.init(command: json["command"]?.stringValue.flatMap(Command.init), isPaused: isPaused)
    }

    /// The members of the reply.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("command", command?.rawValue)
        writer.member("isPaused", isPaused)
    }
}

/// How an uploader stands: the parameters of `io.waymark.Uploads.Report`.
public struct StandingReport: Equatable, Sendable {
    /// The recording's identifier.
    public var name: String
    /// How it stands.
    public var standing: UploadStanding

    /// That the upload of this name stands like this.
    public init(name: String, standing: UploadStanding) {
        self.name = name
        self.standing = standing
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        name = try json.required("name") { KnownUpload.isName($0) ? $0 : nil }
        guard let standing = json["standing"].flatMap(UploadStanding.init) else { throw ParameterError("standing") }
        self.standing = standing
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.key("standing")
            standing.write(to: &writer)
        }
    }
}
