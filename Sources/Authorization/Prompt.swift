import Location

/// A question to the person.
public struct Prompt: Equatable, Sendable, Identifiable {
    /// What is asked.
    public enum Kind: Hashable, Sendable {
        /// Whether the app may have positions while in use.
        case whenInUse
        /// The same for an app that asked for Always.
        case always
        /// Whether what is allowed while in use is to be always.
        case changeToAlways
        /// Whether a provisional Always is to stay, now that a position is due in the background.
        case confirmAlways
        /// Whether the app may have full accuracy until it leaves use, for the purpose of this key.
        case temporaryFullAccuracy(key: String)
    }

    /// An answer.
    public enum Choice: String, CaseIterable, Sendable {
        case allowOnce, allowWhileUsing, deny, keepWhileUsing, changeToAlways, allow
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
    public var choices: [Choice] {
        switch kind {
        case .whenInUse, .always: [.allowOnce, .allowWhileUsing, .deny]
        case .changeToAlways, .confirmAlways: [.keepWhileUsing, .changeToAlways]
        case .temporaryFullAccuracy: [.allow, .deny]
        }
    }
}
