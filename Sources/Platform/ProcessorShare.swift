import CLinux
import Glibc

/// The calling thread's share of a processor for which several threads compete, sched(7).
public enum ProcessorShare {
    /// The shortest time slice in nanoseconds; the kernel accepts no smaller number.
    private static let shortest: UInt64 = 100_000
    /// SCHED_FLAG_RESET_ON_FORK of linux/sched.h.
    private static let isNotInherited: UInt64 = 1

    /// Requests short time slices, sched_setattr(2). Of several runnable threads, one with short slices is scheduled
    /// earlier, without getting more processor time in all. Threads and processes that it starts have normal time
    /// slices, unless the administrator has given this process a negative nice value: that is inherited, and the time
    /// slices with it.
    ///
    /// Without effect before Linux 6.12, or if the administrator has chosen another policy than SCHED_OTHER.
    public static func shorten() {
        var scheduling = waymark_scheduling()
        guard waymark_get_scheduling(&scheduling) == 0, scheduling.policy == UInt32(SCHED_OTHER) else { return }
        scheduling.runtime = shortest
        if scheduling.nice >= 0 { scheduling.flags |= isNotInherited }
        if waymark_set_scheduling(&scheduling) != 0 {
            Log.debug("no short time slices: \(SystemError.text(errno))")
        }
    }

    /// Lets other runnable threads use the processor, sched_yield(2).
    public static func yield() { sched_yield() }
}
