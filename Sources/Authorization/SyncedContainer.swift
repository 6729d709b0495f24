import Containers

/// A container of synchronized records in one of its environments: what an app names with Containers= and Environment= of its
/// manifest.
public struct SyncedContainer: Hashable, Sendable {
    /// The name, such as `org.example.notes`.
    public let name: String
    /// The environment.
    public let environment: ContainerEnvironment

    /// A container with this name.
    public init(_ name: String, _ environment: ContainerEnvironment) {
        self.name = name
        self.environment = environment
    }
}
