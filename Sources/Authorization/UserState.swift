/// What a user is doing at this machine, `sd_uid_get_state(3)` and every lock put together.
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
