import JSONText
import Location
import Varlink

/// A question to the person, and what can be answered: what the `Prompt` of `io.waymark.Agent` and the `Request` of
/// `io.waymark.Manage` have in common.
public struct Question: Equatable, Sendable {
    /// Which one: never used again.
    public var id: Int64
    /// The name of the manifest of the app that asks, without `.app`.
    public var app: String
    /// What it asks.
    public var kind: PromptKind
    /// For temporary full accuracy: the key of the purpose.
    public var purposeKey: String?
    /// The app's name for a person.
    public var name: TranslatedText
    /// What the app says it is for.
    public var purpose: TranslatedText
    /// How well it is proved that it is this app: `socket`, `unit`, `user` or `program`; nil where it asked before a
    /// restart.
    public var assurance: String?
    /// What can be answered, in the order to show it.
    public var choices: [PromptChoice]
    /// Whether full accuracy is proposed.
    public var proposesFullAccuracy: Bool

    /// A question of these parts.
    public init(
        id: Int64, app: String, kind: PromptKind, purposeKey: String? = nil, name: TranslatedText,
        purpose: TranslatedText,
        assurance: String? = nil, choices: [PromptChoice], proposesFullAccuracy: Bool
    ) {
        self.id = id
        self.app = app
        self.kind = kind
        self.purposeKey = purposeKey
        self.name = name
        self.purpose = purpose
        self.assurance = assurance
        self.choices = choices
        self.proposesFullAccuracy = proposesFullAccuracy
    }

    /// Whether the answer says how exact the positions may be.
    public var asksAccuracy: Bool { kind == .whenInUse || kind == .always }

    /// Reads a question; nil where a required member is missing or it is one that this version does not understand.
    public init?(_ json: JSON) {
        guard let id = json["id"]?.integerValue, let app = json["app"]?.stringValue,
            let kind = json["kind"]?.stringValue.flatMap(PromptKind.init),
            let name = TranslatedText(json, "name", translations: "names"),
            let purpose = TranslatedText(json, "purpose", translations: "purposes"),
            let choices = json["choices"]?.arrayValue
        else { return nil }
        self.init(
            id: id, app: app, kind: kind, purposeKey: json["purposeKey"]?.stringValue, name: name, purpose: purpose,
            assurance: json["assurance"]?.stringValue,
            choices: choices.compactMap { $0.stringValue.flatMap(PromptChoice.init) },
            proposesFullAccuracy: json["proposesFullAccuracy"]?.boolValue ?? false)
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("app", app)
        writer.member("kind", kind.rawValue)
        writer.member("purposeKey", purposeKey)
        name.write("name", translations: "names", to: &writer)
        purpose.write("purpose", translations: "purposes", to: &writer)
        writer.member("assurance", assurance)
        writer.member("choices", choices.map(\.rawValue))
        writer.member("proposesFullAccuracy", proposesFullAccuracy)
    }

    /// The `Prompt` of `io.waymark.Agent`.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writeMembers(to: &writer)
            writer.member("asksAccuracy", asksAccuracy)
        }
    }
}

/// A question that nobody has answered yet: the `Request` of `io.waymark.Manage`.
public struct OpenRequest: Equatable, Sendable {
    /// The question.
    public var question: Question
    /// The user whose app asks.
    public var uid: UInt32
    /// Whether an agent shows it now.
    public var isShown: Bool
    /// When it was raised, seconds since 1970.
    public var raisedAt: Double

    /// A question of an app of this user.
    public init(_ question: Question, uid: UInt32, isShown: Bool, raisedAt: Double) {
        self.question = question
        self.uid = uid
        self.isShown = isShown
        self.raisedAt = raisedAt
    }

    /// Reads a request; nil where a required member is missing or it is one that this version does not understand.
    public init?(_ json: JSON) {
        guard let question = Question(json), let uid = json.userID("uid") else { return nil }
        self.init(
            question, uid: uid, isShown: json["isShown"]?.boolValue ?? false,
            raisedAt: json["raisedAt"]?.numberValue ?? 0)
    }

    /// The request as a reply carries it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            question.writeMembers(to: &writer)
            writer.member("uid", uid)
            writer.member("isShown", isShown)
            writer.member("raisedAt", raisedAt)
        }
    }
}
