/// The words of `PersonalManifests=`: who decides for the apps of users' own manifests.
public enum PersonalManifestsMode: String, CaseIterable, Sendable {
    /// The user, by an agent, while present at the machine; otherwise an operator.
    case present
    /// Always an operator.
    case askOperator = "ask-operator"
    /// Nobody: such manifests are ignored.
    case no
}
