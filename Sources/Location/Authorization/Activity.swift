/// The activity that a process of an app declares. Whether an app is in use depends on the activities of its processes.
public enum Activity: String, CaseIterable, Sendable {
    /// In front: in use.
    case active
    /// Covered for a short time, such as by a question of the system: in use as well.
    case inactive
    /// Not visible: in use only with a background activity session.
    case background
    /// Stopped: not in use.
    case suspended
}
