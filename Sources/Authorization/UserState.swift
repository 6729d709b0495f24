/// A user's presence at this machine, by `sd_uid_get_state(3)` and the screen locks of all sessions.
public enum UserState: String, CaseIterable, Sendable {
    /// Active at a seat or terminal, and not locked.
    case active
    /// Active at a seat or terminal, which is locked.
    case locked
    /// Logged in, but not active.
    case inactive
    /// Not logged in.
    case absent
}
