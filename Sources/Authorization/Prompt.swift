import Location

/// A prompt for the person.
public struct Prompt: Equatable, Sendable, Identifiable {
    /// The subject of a prompt.
    public enum Kind: Hashable, Sendable {
        case whenInUse, always, changeToAlways, confirmAlways
        /// With the purpose key.
        case temporaryFullAccuracy(key: String)
        case tracking

        /// The kind with this name. `key` is required for the kind with a purpose, and not permitted for the others.
        public init?(_ word: PromptKind, key: String?) {
            switch (word, key) {
            case (.whenInUse, nil): self = .whenInUse
            case (.always, nil): self = .always
            case (.changeToAlways, nil): self = .changeToAlways
            case (.confirmAlways, nil): self = .confirmAlways
            case (.temporaryFullAccuracy, let key?): self = .temporaryFullAccuracy(key: key)
            case (.tracking, nil): self = .tracking
            default: return nil
            }
        }

        /// Its name, without the key.
        public var word: PromptKind {
            switch self {
            case .whenInUse: .whenInUse
            case .always: .always
            case .changeToAlways: .changeToAlways
            case .confirmAlways: .confirmAlways
            case .temporaryFullAccuracy: .temporaryFullAccuracy
            case .tracking: .tracking
            }
        }

        /// What it is about: an app has at most one unanswered prompt about each.
        public var subject: Subject { self == .tracking ? .tracking : .positions }

        /// The purpose key, if it has one.
        public var purposeKey: String? {
            if case .temporaryFullAccuracy(let key) = self { key } else { nil }
        }
    }

    /// What prompts are about.
    public enum Subject: CaseIterable, Sendable {
        /// The app's authorization for positions.
        case positions
        /// Tracking by the app.
        case tracking
    }

    /// Its number, which is never reused.
    public let id: UInt64
    /// The app that made the request.
    public let app: AppID
    /// Its subject.
    public let kind: Kind
    /// The app's name.
    public let name: LocalizedText
    /// The app's stated purpose; for temporary full accuracy, the text of the key.
    public let purpose: LocalizedText
    /// How strongly the app's identity is proved; nil if the request was made before a restart, and no process of the app
    /// has been identified since.
    public internal(set) var assurance: Assurance?
    /// Whether full accuracy is proposed.
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

    /// The possible answers, in the order of display.
    public var choices: [PromptChoice] {
        switch kind {
        case .whenInUse, .always: [.allowOnce, .allowWhileUsing, .deny]
        case .changeToAlways, .confirmAlways: [.keepWhileUsing, .changeToAlways]
        case .temporaryFullAccuracy: [.allow, .deny]
        // No is the default.
        case .tracking: [.deny, .allow]
        }
    }
}
