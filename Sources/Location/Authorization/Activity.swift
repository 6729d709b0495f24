/// What a process of an app says that it is doing.
public enum Activity: String, CaseIterable, Sendable {
    case active, inactive, background, suspended
}
