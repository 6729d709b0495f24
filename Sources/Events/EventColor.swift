/// The color in which a terminal shows what has happened.
public enum EventColor: Sendable {
    /// Something has become available, or works.
    case green
    /// Something is unavailable or fails for now.
    case yellow
    /// A person has asked for something, or is asked.
    case cyan
    /// Data was lost.
    case red
}
