import JSONText
import Location
import Varlink

/// What a caller of `io.waymark.Manage.Authorize` decides.
public struct AuthorizeRequest: Equatable, Sendable {
    /// What an operator can decide for an app.
    public enum Status: String, CaseIterable, Sendable {
        case always, whileUsing, deny
    }

    /// The name of its manifest without `.app`.
    public var app: String
    /// The user whose app it is; nil where the daemon is to find out.
    public var uid: UInt32?
    /// What is decided.
    public var status: Status
    /// How exact its positions may be; nil for what it has, or what its manifest proposes.
    public var accuracy: AccuracyAuthorization?

    /// A decision of these parts.
    public init(app: String, uid: UInt32? = nil, status: Status, accuracy: AccuracyAuthorization? = nil) {
        self.app = app
        self.uid = uid
        self.status = status
        self.accuracy = accuracy
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        app = try json.required("app") { $0 }
        uid = try json.user("uid")
        status = try json.required("status", Status.init)
        accuracy = try json.word("accuracy", AccuracyAuthorization.init)
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("app", app)
            writer.member("uid", uid)
            writer.member("status", status.rawValue)
            writer.member("accuracy", accuracy?.rawValue)
        }
    }
}

/// Which app: the parameters of `io.waymark.Manage.Reset`.
public struct AppRequest: Equatable, Sendable {
    /// The name of its manifest without `.app`.
    public var app: String
    /// The user whose app it is; nil where the daemon is to find out.
    public var uid: UInt32?

    /// The app of this name, of this user where one is given.
    public init(app: String, uid: UInt32? = nil) {
        self.app = app
        self.uid = uid
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        app = try json.required("app") { $0 }
        uid = try json.user("uid")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("app", app)
            writer.member("uid", uid)
        }
    }
}

/// Which apps: the parameters of `io.waymark.Manage.ListApps`.
public struct AppListRequest: Equatable, Sendable {
    /// Only those of this name.
    public var app: String?
    /// Only those of this user.
    public var uid: UInt32?

    /// All apps, or fewer.
    public init(app: String? = nil, uid: UInt32? = nil) {
        self.app = app
        self.uid = uid
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        app = try json.string("app")
        uid = try json.user("uid")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("app", app)
            writer.member("uid", uid)
        }
    }
}

/// Whether location services are on: the parameters of `io.waymark.Manage.SetServicesEnabled`.
public struct ServicesRequest: Equatable, Sendable {
    /// Whether they are.
    public var isEnabled: Bool

    /// On or off.
    public init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        isEnabled = try json.requiredBool("enabled")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("enabled", isEnabled) }
    }
}

/// Whether a screen is locked: the parameters of `SetLocked`, of `io.waymark.Manage` with a user and of
/// `io.waymark.Agent` without.
public struct LockRequest: Equatable, Sendable {
    /// Whose; nil for the caller's own.
    public var uid: UInt32?
    /// Whether it is.
    public var isLocked: Bool

    /// Locked or not, of this user or the caller's own.
    public init(uid: UInt32? = nil, isLocked: Bool) {
        self.uid = uid
        self.isLocked = isLocked
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        uid = try json.user("uid")
        isLocked = try json.requiredBool("locked")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("uid", uid)
            writer.member("locked", isLocked)
        }
    }
}

/// An answer to a question: the parameters of `Answer`.
public struct AnswerRequest: Equatable, Sendable {
    /// Where the question's number is: the interfaces name it differently.
    public enum NumberKey: String, Sendable {
        /// In `io.waymark.Manage`.
        case id
        /// In `io.waymark.Agent`.
        case prompt
    }

    /// The number of the question.
    public var question: Int64
    /// What is answered.
    public var choice: PromptChoice
    /// Whether positions may be exact; nil for what the question proposes.
    public var precise: Bool?

    /// An answer of these parts.
    public init(question: Int64, choice: PromptChoice, precise: Bool? = nil) {
        self.question = question
        self.choice = choice
        self.precise = precise
    }

    /// Reads the parameters of a call.
    public init(_ json: JSON, under key: NumberKey) throws(ParameterError) {
        question = try json.question(key.rawValue)
        choice = try json.required("choice", PromptChoice.init)
        precise = try json.bool("precise")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter, under key: NumberKey) {
        writer.object { writer in
            writer.member(key.rawValue, question)
            writer.member("choice", choice.rawValue)
            writer.member("precise", precise)
        }
    }
}

/// Which question: the parameters of `io.waymark.Agent.Dismiss`.
public struct DismissRequest: Equatable, Sendable {
    /// Its number.
    public var prompt: Int64

    /// The question of this number.
    public init(prompt: Int64) { self.prompt = prompt }

    /// Reads the parameters of a call.
    public init(_ json: JSON) throws(ParameterError) {
        prompt = try json.question("prompt")
    }

    /// The parameters as a call carries them.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.member("prompt", prompt) }
    }
}

extension JSON {
    fileprivate func question(_ name: String) throws(ParameterError) -> Int64 {
        guard let number = try integer(name, in: 1...Int64.max) else { throw ParameterError(name) }
        return number
    }
}
