import Glibc

/// Notices that this process was frozen and runs again, for a thread of it that waits for them.
///
/// The kernel announces a freeze and its end in `cgroup.events` of version 2. The process itself can read only the end.
public final class FreezeNotices: Sendable {
    private let events: SharedDescriptor

    /// Notices of a control group; nil where it has no such file.
    public init?(_ group: ControlGroup) {
        guard let file = FreezeState.eventsFile(of: group) else { return nil }
        let opened = open(file, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        events = SharedDescriptor(OwnedDescriptor(adopting: opened))
        // Only a change after the first reading is announced.
        _ = isFrozen
    }

    /// The descriptor to wait for, with `POLLPRI`.
    public var number: Int32 { events.number }

    /// Reads what was announced: whether the group was frozen, and is not any more. A group with a process in it has no
    /// other change after its beginning.
    public func wasThawed() -> Bool { isFrozen == false }

    private var isFrozen: Bool? {
        guard lseek(events.number, 0, SEEK_SET) >= 0 else { return nil }
        do throws(SystemError) {
            return FreezeState.frozen(in: try BoundedFile.bytes(from: events.number, limit: 4_096))
        } catch {
            return nil
        }
    }
}
