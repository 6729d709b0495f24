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

    /// The question of a `Prompt` of `io.waymark.Agent`.
    public init(_ prompt: AgentInterface.Prompt) {
        self.init(
            id: prompt.id, app: prompt.app, kind: prompt.kind, purposeKey: prompt.purposeKey,
            name: TranslatedText(prompt.name, translations: prompt.names),
            purpose: TranslatedText(prompt.purpose, translations: prompt.purposes), assurance: prompt.assurance,
            choices: prompt.choices, proposesFullAccuracy: prompt.proposesFullAccuracy)
    }

    /// The `Prompt` of `io.waymark.Agent`.
    public var prompt: AgentInterface.Prompt {
        AgentInterface.Prompt(
            id: id, app: app, kind: kind, purposeKey: purposeKey, name: name.text, names: name.translationMap,
            purpose: purpose.text, purposes: purpose.translationMap, assurance: assurance, choices: choices,
            asksAccuracy: asksAccuracy, proposesFullAccuracy: proposesFullAccuracy)
    }
}

/// A question that nobody has answered yet: `Request` of `io.waymark.Manage`.
public typealias OpenRequest = ManageInterface.Request

extension OpenRequest {
    /// A question of an app of this user.
    public init(_ question: Question, uid: UInt32, isShown: Bool, raisedAt: Double) {
        self.init(
            id: question.id, app: question.app, uid: uid, kind: question.kind, purposeKey: question.purposeKey,
            name: question.name.text, names: question.name.translationMap, purpose: question.purpose.text,
            purposes: question.purpose.translationMap, assurance: question.assurance, choices: question.choices,
            proposesFullAccuracy: question.proposesFullAccuracy, isShown: isShown, raisedAt: raisedAt)
    }

    /// The question.
    public var question: Question {
        Question(
            id: id, app: app, kind: kind, purposeKey: purposeKey, name: TranslatedText(name, translations: names),
            purpose: TranslatedText(purpose, translations: purposes), assurance: assurance, choices: choices,
            proposesFullAccuracy: proposesFullAccuracy)
    }
}

extension TranslatedText {
    /// A text and its translations by locale.
    init(_ text: String, translations: VarlinkMap<String>) {
        self.init(text)
        for entry in translations.entries { self.translations[entry.name] = entry.value }
    }

    /// The translations by locale, in the order of the locales.
    var translationMap: VarlinkMap<String> {
        VarlinkMap(translations.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }
}
