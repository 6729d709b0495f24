import Authorization
import Containers
import Location

/// The owner of a file, who determines for whom it applies.
public enum FileOwner: Hashable, Sendable {
    /// Root: the file applies to all users.
    case root
    /// A user: the file applies to that user only.
    case user(UInt32)
}

/// An app's manifest and the file that it is from. The members of the manifest are the file's, too.
@dynamicMemberLookup
public struct ManifestFile: Equatable, Sendable {
    /// The id of the app: the file's name without `.app`.
    public var id: String
    /// The path of the file.
    public var path: String
    /// The owner of the file.
    public var owner: FileOwner
    /// How its processes are identified. Keys that only root may use are omitted for a user's file.
    public var identity: [IdentityKey: String]
    /// What the app declares, as the module `Authorization` uses it.
    public var manifest: Manifest
    /// The environment in which it uses its containers; `development` only if the file belongs to a user.
    public var environment = ContainerEnvironment.production
    /// The texts of alerts about its records, by key.
    public var alertTexts: [String: LocalizedText] = [:]

    /// The names of the containers whose records it may use; empty if it does not synchronize any.
    public var containers: [String] {
        get { manifest.containers.map(\.name) }
        set { manifest.containers = newValue.map { SyncedContainer($0, environment) } }
    }

    /// A member of the manifest.
    public subscript<Value>(dynamicMember member: KeyPath<Manifest, Value>) -> Value { manifest[keyPath: member] }
}
