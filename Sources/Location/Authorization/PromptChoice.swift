/// An answer of a person to a prompt.
public enum PromptChoice: String, CaseIterable, Sendable {
    case allowOnce, allowWhileUsing, deny, keepWhileUsing, changeToAlways, allow
}
