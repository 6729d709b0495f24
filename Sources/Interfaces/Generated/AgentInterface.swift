// Made from io.waymark.Agent.varlink by `make interfaces`: change that file, not this one.

import JSONText
import Location
import NetworkPaths
import Platform
import Varlink

/// Prompts for the person: for agents, which show the prompts of one user's apps and send the answers back.
///
/// An agent is a program that the configuration names. It runs as the user whose apps the prompts are about, and is not
/// part of an app.
public enum AgentInterface: VarlinkInterface {
    /// The interface's name.
    public static let name = "io.waymark.Agent"
    /// The callers allowed for the methods, except those of `operatorMethods`.
    public static let callers = VarlinkCallers.identified
    /// The methods that only operators may call.
    public static let operatorMethods: Set<String> = []
    /// The methods that write to the disk before they reply.
    public static let durableMethods: Set<String> = []
    /// The methods that are called with `more`.
    public static let requiringMore: Set<String> = ["Register"]
    /// How calls in progress are repeated after a restart; those of other methods are not.
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

    /// A prompt. The first answer decides.
    public struct Prompt: VarlinkValue, VarlinkMembers, Equatable {
        /// `id`.
        public var id: Int64
        /// `app`.
        public var app: String
        /// whenInUse, always, changeToAlways, confirmAlways, temporaryFullAccuracy, tracking.
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
        /// How strongly the app's identity is proved: socket, unit, user or program; absent for a request made before a
        /// restart, until a process of the app is identified.
        public var assurance: String?
        /// In the order to show them: allowOnce, allowWhileUsing, deny, keepWhileUsing, changeToAlways, allow.
        public var choices: [PromptChoice]
        /// Whether the person also chooses the accuracy of the positions, and which accuracy is proposed.
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

    /// A background activity session of one of the user's apps that may receive positions.
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

    /// The prompts of the user's apps from now on, and those that are still unanswered. The first reply has no member
    /// set and confirms that the agent is registered. Each later reply sets exactly one of the three members: a prompt;
    /// the number of a prompt that was answered elsewhere or no longer exists; or all current background activity
    /// sessions, for an indicator. A prompt that was sent before is sent again when the app's identity is proved since.
    /// Needs `more`.
    public struct Register: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.Register"
        /// Whether it is called with `more`.
        public static let needsMore = true

        /// The reply of `Register`.
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

        /// A value without members.
        public init() {}

        /// Reads the members, of which there are none.
        public init(varlink _: JSON) throws(InvalidParameter) {}

        /// Writes the members.
        public func writeMembers(to _: inout JSONWriter) {}
    }

    /// Sends the person's answer to a prompt. Without `precise`, the accuracy that the prompt proposes applies.
    public struct Answer: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.Answer"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
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

    /// Withdraws a prompt without an answer: nothing is decided.
    public struct Dismiss: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.Dismiss"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
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

    /// Reports whether the user's screen is locked, see io.waymark.Manage.SetLocked.
    public struct SetLocked: VarlinkMethod {
        /// The errors of the interface.
        public typealias Failure = AgentInterface.Failure
        /// The method's full name.
        public static let name = "io.waymark.Agent.SetLocked"
        /// Whether it is called with `more`.
        public static let needsMore = false

        /// The reply has no members: it confirms that the call is done.
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
        /// This user has no such prompt, or it is already answered.
        case unknownPrompt(message: String)
        /// The prompt does not offer that choice.
        case notOffered(choices: [String], message: String)
        /// The answer could not be stored, so nothing that it allows is in force.
        case notStored(message: String)

        /// Reads an error of this interface; nil for another error, or where a parameter is missing.
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

        /// Whether it means that the caller is not allowed.
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

    /// Implements the methods; a reply may come at once or later. A thrown error ends the call.
    @DaemonActor
    public protocol Handler: AnyObject {
        /// Handles `Register`.
        func register(_ call: MethodCall<Register>) throws(Failure)
        /// Handles `Answer`.
        func answer(_ call: MethodCall<Answer>) throws(Failure)
        /// Handles `Dismiss`.
        func dismiss(_ call: MethodCall<Dismiss>) throws(Failure)
        /// Handles `SetLocked`.
        func setLocked(_ call: MethodCall<SetLocked>) throws(Failure)
    }

    /// Passes a call to the handler's method of its name.
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
