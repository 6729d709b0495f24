import Authorization

/// Whose word a file is.
public enum FileOwner: Hashable, Sendable {
    /// Root's: for everybody.
    case root
    /// A user's: for that user only.
    case user(UInt32)
}

/// What the manifest of an app says.
public struct ManifestFile: Equatable, Sendable {
    /// The id of the app: the file's name without `.app`.
    public var id: String
    /// Where it is.
    public var path: String
    /// Whose word it is.
    public var owner: FileOwner
    /// What it is called.
    public var name: LocalizedText
    /// By what its processes are known; in a user's file without what only root may say.
    public var identity: [IdentityKey: String]
    /// Why it wants positions while it is used; nil where it may not ask.
    public var whenInUseUsage: LocalizedText?
    /// Why it wants positions always; nil where it may not ask for that.
    public var alwaysUsage: LocalizedText?
    /// Why it may want full accuracy for a while, by purpose key.
    public var temporaryUsages: [String: LocalizedText]
    /// Whether the prompt proposes reduced accuracy.
    public var isDefaultAccuracyReduced: Bool
    /// Whether it may record.
    public var mayRecord: Bool
    /// How exact its recordings may be when they are read.
    public var recordedAccuracy: RecordedAccuracy
    /// Whether it counts as in use as long as it runs: only where the file is root's.
    public var isAlwaysInUse: Bool
}
