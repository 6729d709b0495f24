import Location

/// A question to the person.
public struct Prompt: Equatable, Sendable, Identifiable {
    /// What is asked.
    public enum Kind: Hashable, Sendable {
        case whenInUse, always, changeToAlways, confirmAlways
        /// With the key of the purpose.
        case temporaryFullAccuracy(key: String)

        /// The kind of this word, where a key comes with the one that has a purpose, and with no other.
        public init?(_ word: PromptKind, key: String?) {
            switch (word, key) {
            case (.whenInUse, nil): self = .whenInUse
            case (.always, nil): self = .always
            case (.changeToAlways, nil): self = .changeToAlways
            case (.confirmAlways, nil): self = .confirmAlways
            case (.temporaryFullAccuracy, let key?): self = .temporaryFullAccuracy(key: key)
            default: return nil
            }
        }

        /// The word for it, without the key.
        public var word: PromptKind {
            switch self {
            case .whenInUse: .whenInUse
            case .always: .always
            case .changeToAlways: .changeToAlways
            case .confirmAlways: .confirmAlways
            case .temporaryFullAccuracy: .temporaryFullAccuracy
            }
        }

        /// The key of the purpose, where it has one.
        public var purposeKey: String? {
            if case .temporaryFullAccuracy(let key) = self { key } else { nil }
        }
    }

    /// Which one: never used again.
    public let id: UInt64
    /// The app that asks.
    public let app: AppID
    /// What it asks.
    public let kind: Kind
    /// The app's name for a person.
    public let name: LocalizedText
    /// What the app says it is for, with the key's text for temporary full accuracy.
    public let purpose: LocalizedText
    /// How well the app's identity is proved; nil where it asked before a restart.
    public let assurance: Assurance?
    /// Whether Precise is proposed.
    public let proposesFullAccuracy: Bool

    /// A prompt of these parts.
    public init(
        id: UInt64, app: AppID, kind: Kind, name: LocalizedText, purpose: LocalizedText,
        assurance: Assurance?,
        proposesFullAccuracy: Bool
    ) {
        self.id = id
        self.app = app
        self.kind = kind
        self.name = name
        self.purpose = purpose
        self.assurance = assurance
        self.proposesFullAccuracy = proposesFullAccuracy
    }

    /// What can be answered, in the order to show it.
    public var choices: [PromptChoice] {
        switch kind {
        case .whenInUse, .always: [.allowOnce, .allowWhileUsing, .deny]
        case .changeToAlways, .confirmAlways: [.keepWhileUsing, .changeToAlways]
        case .temporaryFullAccuracy: [.allow, .deny]
        }
    }
}
