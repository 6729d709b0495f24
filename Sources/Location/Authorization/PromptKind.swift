/// What a person is asked about an app, as interfaces and the journal's tables spell it.
public enum PromptKind: String, CaseIterable, Sendable {
    /// Whether the app may have positions while in use.
    case whenInUse
    /// The same for an app that asked for Always.
    case always
    /// Whether what is allowed while in use is to be always.
    case changeToAlways
    /// Whether a provisional Always is to stay, now that a position is due in the background.
    case confirmAlways
    /// Whether the app may have full accuracy until it leaves use, for a purpose that has a key.
    case temporaryFullAccuracy
}
