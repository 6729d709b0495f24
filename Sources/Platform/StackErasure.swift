import CLinux
import Synchronization

/// Overwrites what calls that have returned left on the stack of a thread: a local variable stays there until a later call uses the
/// same place, and a rare call, such as one that reads a burst of positions, may be the only one that does. In a process whose data
/// is locked nothing of it may be found.
public enum StackErasure {
    private static let isEnabled = Atomic<Bool>(false)

    /// From now on `perform` erases, in every thread.
    public static func enable() { isEnabled.store(true, ordering: .relaxed) }

    /// Overwrites the unused stack below the caller, if that is enabled; 128 KiB, more than the calls of an event need. For the loop
    /// of a thread, between two events: it costs some microseconds.
    public static func perform() {
        if isEnabled.load(ordering: .relaxed) { waymark_erase_stack() }
    }
}
