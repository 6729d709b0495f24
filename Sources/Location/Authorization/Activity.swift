/// The activity that a process of an app declares.
public enum Activity: String, CaseIterable, Sendable {
    case active, inactive, background, suspended
}
