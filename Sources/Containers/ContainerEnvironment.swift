/// One of the two environments of a container. Records are never copied between them.
public enum ContainerEnvironment: String, CaseIterable, Sendable {
    /// The records of installed apps.
    case production
    /// The records of an app that is being developed.
    case development
}
