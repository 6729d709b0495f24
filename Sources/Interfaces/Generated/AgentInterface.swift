// Made from io.waymark.Agent.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Asking the person: for agents, which show the questions of one user's apps and bring back the answers.
///
/// An agent is a program that the configuration names, run by the user whose apps it asks about, and not part of an
/// app.
public enum AgentInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Agent"
    /// Who may call the methods, but for those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = ["Register"]
    /// How calls in progress are made again after a restart; those of other methods are not.
    public static let repetitions: [String: CallRepetition] = [
        "Register": .unlessReported,
        "SetLocked": .unlessSame,
    ]

    /// The methods by their full names, in the order of the text.
    public enum Method: String, CaseIterable, Sendable {
        case register = "io.waymark.Agent.Register"
        case answer = "io.waymark.Agent.Answer"
        case dismiss = "io.waymark.Agent.Dismiss"
        case setLocked = "io.waymark.Agent.SetLocked"
    }

    /// A question. Whoever answers first decides.
    public struct Prompt: VarlinkValue, VarlinkMembers, Equatable {
        /// `id`.
        public var id: Int64
        /// `app`.
        public var app: String
        /// whenInUse, always, changeToAlways, confirmAlways, temporaryFullAccuracy.
        public var kind: PromptKind
        /// `purposeKey`.
        public var purposeKey: String?
        /// The app's name and reason, with translations by locale.
        public var name: String
        /// `names`.
        public var names: VarlinkMap<String>
        /// `purpose`.
        public var purpose: String
        /// `purposes`.
        public var purposes: VarlinkMap<String>
        /// How well it is proved that it is this app: socket, unit, user or program; absent where it asked before a
        /// restart.
        public var assurance: String?
        /// In the order to show them: allowOnce, allowWhileUsing, deny, keepWhileUsing, changeToAlways, allow.
        public var choices: [PromptChoice]
        /// Whether the answer says how exact the positions may be, and what is proposed.
        public var asksAccuracy: Bool
        /// `proposesFullAccuracy`.
        public var proposesFullAccuracy: Bool

        /// A value of these members.
        public init(
            id: Int64 = 0,
            app: String,
            kind: PromptKind,
            purposeKey: String? = nil,
            name: String,
            names: VarlinkMap<String> = [:],
            purpose: String,
            purposes: VarlinkMap<String> = [:],
            assurance: String? = nil,
            choices: [PromptChoice] = [],
            asksAccuracy: Bool = false,
            proposesFullAccuracy: Bool = false
        ) {
            self.id = id
            self.app = app
            self.kind = kind
            self.purposeKey = purposeKey
            self.name = name
            self.names = names
            self.purpose = purpose
            self.purposes = purposes
            self.assurance = assurance
            self.choices = choices
            self.asksAccuracy = asksAccuracy
            self.proposesFullAccuracy = proposesFullAccuracy
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            id = try json.optional("id") ?? 0
            app = try json.value("app")
            kind = try json.value("kind")
            purposeKey = try json.optional("purposeKey")
            name = try json.value("name")
            names = try json.optional("names") ?? [:]
            purpose = try json.value("purpose")
            purposes = try json.optional("purposes") ?? [:]
            assurance = try json.optional("assurance")
            choices = try json.optional("choices") ?? []
            asksAccuracy = try json.optional("asksAccuracy") ?? false
            proposesFullAccuracy = try json.optional("proposesFullAccuracy") ?? false
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("id", of: id)
            writer.member("app", of: app)
            writer.member("kind", of: kind)
            writer.member("purposeKey", of: purposeKey)
            writer.member("name", of: name)
            writer.member("names", of: names)
            writer.member("purpose", of: purpose)
            writer.member("purposes", of: purposes)
            writer.member("assurance", of: assurance)
            writer.member("choices", of: choices)
            writer.member("asksAccuracy", of: asksAccuracy)
            writer.member("proposesFullAccuracy", of: proposesFullAccuracy)
        }
    }

    /// A background activity session of one of the user's apps.
    public struct Hold: VarlinkValue, VarlinkMembers, Equatable {
        /// `app`.
        public var app: String
        /// `name`.
        public var name: String
        /// `names`.
        public var names: VarlinkMap<String>

        /// A value of these members.
        public init(app: String, name: String, names: VarlinkMap<String> = [:]) {
            self.app = app
            self.name = name
            self.names = names
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            app = try json.value("app")
            name = try json.value("name")
            names = try json.optional("names") ?? [:]
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("app", of: app)
            writer.member("name", of: name)
            writer.member("names", of: names)
        }
    }

    /// Questions of the user's apps from now on, also those that nobody has answered. The first reply has none and says
    /// that the agent is registered. Exactly one of the three is in each later one: a question, the number of one that
    /// has been answered elsewhere or is no more, or all background activity sessions there are, for an indicator.
    /// Needs `more`.
    public struct Register: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.Register"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// What `Register` replies.
        public struct Reply: VarlinkValue, VarlinkMembers, Equatable {
            /// `prompt`.
            public var prompt: Prompt?
            /// `withdrawn`.
            public var withdrawn: Int64?
            /// `holds`.
            public var holds: [Hold]?

            /// A value of these members.
            public init(prompt: Prompt? = nil, withdrawn: Int64? = nil, holds: [Hold]? = nil) {
                self.prompt = prompt
                self.withdrawn = withdrawn
                self.holds = holds
            }

            /// Reads the members.
            public init(varlink json: JSON) throws(InvalidParameter) {
                prompt = try json.optional("prompt")
                withdrawn = try json.optional("withdrawn")
                holds = try json.optional("holds")
            }

            /// Writes the members.
            public func writeMembers(to writer: inout JSONWriter) {
                writer.member("prompt", of: prompt)
                writer.member("withdrawn", of: withdrawn)
                writer.member("holds", of: holds)
            }
        }

        /// It has no members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Answers a question. `precise` is what it proposes where it is not given.
    public struct Answer: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.Answer"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// There is nothing to reply but that it is done.
        public typealias Reply = EmptyReply

        /// `prompt`.
        public var prompt: Int64
        /// `choice`.
        public var choice: PromptChoice
        /// `precise`.
        public var precise: Bool?

        /// A value of these members.
        public init(prompt: Int64, choice: PromptChoice, precise: Bool? = nil) {
            self.prompt = prompt
            self.choice = choice
            self.precise = precise
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            prompt = try json.value("prompt", in: 1...Int64.max)
            choice = try json.value("choice")
            precise = try json.optional("precise")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("prompt", of: prompt)
            writer.member("choice", of: choice)
            writer.member("precise", of: precise)
        }
    }

    /// Takes a question away without an answer: nothing is decided.
    public struct Dismiss: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.Dismiss"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// There is nothing to reply but that it is done.
        public typealias Reply = EmptyReply

        /// `prompt`.
        public var prompt: Int64

        /// A value of these members.
        public init(prompt: Int64) {
            self.prompt = prompt
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            prompt = try json.value("prompt", in: 1...Int64.max)
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("prompt", of: prompt)
        }
    }

    /// Says that the user's screen is locked or not, see io.waymark.Manage.SetLocked.
    public struct SetLocked: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.SetLocked"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// There is nothing to reply but that it is done.
        public typealias Reply = EmptyReply

        /// `locked`.
        public var locked: Bool

        /// A value of these members.
        public init(locked: Bool) {
            self.locked = locked
        }

        /// Reads the members.
        public init(varlink json: JSON) throws(InvalidParameter) {
            locked = try json.value("locked")
        }

        /// Writes the members.
        public func writeMembers(to writer: inout JSONWriter) {
            writer.member("locked", of: locked)
        }
    }

    /// The errors of the interface.
    public enum Failure: VarlinkFailure {
        /// The caller may not be an agent; the message says why.
        case notAgent(message: String)
        /// There is no such question of this user, or it was answered.
        case unknownPrompt(message: String)
        /// The question does not offer that choice.
        case notOffered(choices: [String], message: String)
        /// The answer could not be stored; nothing that it allows holds.
        case notStored(message: String)

        /// Reads an error of this interface; nil where it is none, or lacks a parameter.
        public init?(name: String, parameters json: JSON) {
            do throws(InvalidParameter) {
                switch name {
                case "io.waymark.Agent.NotAgent":
                    self = try .notAgent(message: json.value("message"))
                case "io.waymark.Agent.UnknownPrompt":
                    self = try .unknownPrompt(message: json.value("message"))
                case "io.waymark.Agent.NotOffered":
                    self = try .notOffered(choices: json.value("choices"), message: json.value("message"))
                case "io.waymark.Agent.NotStored":
                    self = try .notStored(message: json.value("message"))
                default: return nil
                }
            } catch {
                return nil
            }
        }

        /// The full name.
        public var name: String {
            switch self {
            case .notAgent: "io.waymark.Agent.NotAgent"
            case .unknownPrompt: "io.waymark.Agent.UnknownPrompt"
            case .notOffered: "io.waymark.Agent.NotOffered"
            case .notStored: "io.waymark.Agent.NotStored"
            }
        }

        /// The sentence for a person.
        public var message: String {
            switch self {
            case .notAgent(let message): message
            case .unknownPrompt(let message): message
            case .notOffered(_, let message): message
            case .notStored(let message): message
            }
        }

        /// Whether it says that the caller is not allowed.
        public var isRefusal: Bool {
            switch self {
            case .notAgent: true
            default: false
            }
        }

        /// Writes the parameters.
        public func writeMembers(to writer: inout JSONWriter) {
            switch self {
            case .notAgent(let message):
                writer.member("message", of: message)
            case .unknownPrompt(let message):
                writer.member("message", of: message)
            case .notOffered(let choices, let message):
                writer.member("choices", of: choices)
                writer.member("message", of: message)
            case .notStored(let message):
                writer.member("message", of: message)
            }
        }
    }

    /// Who answers the calls, at once or later. An error that is thrown ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Answers `Register`.
        func register(_ call: MethodCall<Register>) throws(Failure)
        /// Answers `Answer`.
        func answer(_ call: MethodCall<Answer>) throws(Failure)
        /// Answers `Dismiss`.
        func dismiss(_ call: MethodCall<Dismiss>) throws(Failure)
        /// Answers `SetLocked`.
        func setLocked(_ call: MethodCall<SetLocked>) throws(Failure)
    }

    /// Has a handler answer a call.
    @DaemonActor
    public static func perform(_ call: Call, by handler: some Handler) {
        switch call.methodName {
        case "Register":
            call.perform(Register.self) { (call) throws(Failure) in
                try handler.register(call)
            }
        case "Answer":
            call.perform(Answer.self) { (call) throws(Failure) in
                try handler.answer(call)
            }
        case "Dismiss":
            call.perform(Dismiss.self) { (call) throws(Failure) in
                try handler.dismiss(call)
            }
        case "SetLocked":
            call.perform(SetLocked.self) { (call) throws(Failure) in
                try handler.setLocked(call)
            }
        default: call.fail(ServiceError.methodNotFound(call.request.method))
        }
    }
}
