/// The kind of prompt that a person is shown about an app, in the spelling of the interfaces and the journal's tables.
public enum PromptKind: String, CaseIterable, Sendable {
    /// Whether the app may receive positions while in use.
    case whenInUse
    /// The same for an app that has requested Always.
    case always
    /// Whether a permission while in use is changed to Always.
    case changeToAlways
    /// Whether a provisional Always is confirmed, now that a position in the background is due.
    case confirmAlways
    /// Whether the app may have full accuracy until it leaves use, for a purpose that is identified by a key.
    case temporaryFullAccuracy
    /// Whether the app may track the person across other companies' apps and websites.
    case tracking
}
