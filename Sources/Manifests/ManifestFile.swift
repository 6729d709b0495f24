import Authorization
import Location

/// The owner of a file, who determines for whom it applies.
public enum FileOwner: Hashable, Sendable {
    /// Root: the file applies to all users.
    case root
    /// A user: the file applies to that user only.
    case user(UInt32)
}

/// The content of an app's manifest.
public struct ManifestFile: Equatable, Sendable {
    /// The id of the app: the file's name without `.app`.
    public var id: String
    /// The path of the file.
    public var path: String
    /// The owner of the file.
    public var owner: FileOwner
    /// The app's name.
    public var name: LocalizedText
    /// How its processes are identified. Keys that only root may use are omitted for a user's file.
    public var identity: [IdentityKey: String]
    /// Why it needs positions while it is used; nil if it cannot request them.
    public var whenInUseUsage: LocalizedText?
    /// Why it needs positions always; nil if it cannot request that.
    public var alwaysUsage: LocalizedText?
    /// Why it may need temporary full accuracy, by purpose key.
    public var temporaryUsages: [String: LocalizedText]
    /// Why it tracks the person; nil if it cannot request that.
    public var trackingUsage: LocalizedText?
    /// Whether the prompt proposes reduced accuracy.
    public var isDefaultAccuracyReduced: Bool
    /// Whether it may have recordings.
    public var mayRecord: Bool
    /// The accuracy of its recorded positions when they are read.
    public var recordedAccuracy: RecordedAccuracy
    /// The class of data protection of its recordings; nil for the usual one.
    public var protection: ProtectionClass?
    /// Whether it counts as in use while it runs; only if the file belongs to root.
    public var isAlwaysInUse: Bool
    /// What starts it while it does not run, and for which events; nil if it is not woken.
    public var wake: WakeDeclaration?
    /// The name of its vendor; nil if the app is its own vendor.
    public var vendor: String?
    /// The containers whose records it may use; empty if it does not synchronize any.
    public var containers: [String] = []
    /// Whether it uses them in the environment for development; only if the file belongs to a user.
    public var isDevelopment = false
    /// The texts of alerts about its records, by key.
    public var alertTexts: [String: LocalizedText] = [:]
}
