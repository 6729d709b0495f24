import Location
import Varlink

/// A prompt to the person with its choices: the common part of the `Prompt` of `io.waymark.Agent` and the `Request` of
/// `io.waymark.Manage`.
public struct Question: Equatable, Sendable {
    /// Its number, which is never used again.
    public var id: Int64
    /// The name of the manifest of the requesting app, without `.app`.
    public var app: String
    /// What the app requests.
    public var kind: PromptKind
    /// For temporary full accuracy: the key of the purpose.
    public var purposeKey: String?
    /// The app's name for a person.
    public var name: TranslatedText
    /// The app's reason for the request.
    public var purpose: TranslatedText
    /// How strongly the app's identity is proved: `socket`, `unit`, `user` or `program`; nil for a request made before
    /// a restart.
    public var assurance: String?
    /// The possible answers, in the order to show them.
    public var choices: [PromptChoice]
    /// Whether full accuracy is proposed.
    public var proposesFullAccuracy: Bool

    /// A prompt of these parts.
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

    /// Whether the person also chooses the accuracy of the positions.
    public var asksAccuracy: Bool { kind == .whenInUse || kind == .always }

    /// The prompt of a `Prompt` of `io.waymark.Agent`.
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

/// An unanswered prompt: `Request` of `io.waymark.Manage`.
public typealias OpenRequest = ManageInterface.Request

extension OpenRequest {
    /// A prompt for an app of this user.
    public init(_ question: Question, uid: UInt32, isShown: Bool, raisedAt: Double) {
        self.init(
            id: question.id, app: question.app, uid: uid, kind: question.kind, purposeKey: question.purposeKey,
            name: question.name.text, names: question.name.translationMap, purpose: question.purpose.text,
            purposes: question.purpose.translationMap, assurance: question.assurance, choices: question.choices,
            proposesFullAccuracy: question.proposesFullAccuracy, isShown: isShown, raisedAt: raisedAt)
    }

    /// The prompt.
    public var question: Question {
        Question(
            id: id, app: app, kind: kind, purposeKey: purposeKey, name: TranslatedText(name, translations: names),
            purpose: TranslatedText(purpose, translations: purposes), assurance: assurance, choices: choices,
            proposesFullAccuracy: proposesFullAccuracy)
    }
}

extension TranslatedText {
    /// A text and its translations by locale.
    public init(_ text: String, translations: VarlinkMap<String>) {
        self.init(text)
        for entry in translations.entries { self.translations[entry.name] = entry.value }
    }

    /// The translations by locale, in the order of the locales.
    public var translationMap: VarlinkMap<String> {
        VarlinkMap(translations.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }
}
