/// A container of synchronized records in one of its environments: what an app names with Containers= and Environment= of its
/// manifest.
public struct SyncedContainer: Hashable, Sendable {
    /// An environment, whose records are separate from those of the other one.
    public enum Environment: String, CaseIterable, Sendable {
        /// The records of a finished app.
        case production
        /// Those of an app that is being developed.
        case development
    }

    /// The name, such as `org.example.notes`.
    public let name: String
    /// The environment.
    public let environment: Environment

    /// A container with this name.
    public init(_ name: String, _ environment: Environment) {
        self.name = name
        self.environment = environment
    }
}
