import CLinux
import Glibc

/// How the calling thread shares a processor with others that want it, sched(7).
public enum ProcessorShare {
    /// The shortest turns there are, in nanoseconds: the kernel takes no smaller number.
    private static let shortest: UInt64 = 100_000
    /// SCHED_FLAG_RESET_ON_FORK of linux/sched.h.
    private static let isNotInherited: UInt64 = 1

    /// Asks for short turns, sched_setattr(2): of several threads that want a processor, one that asks for less is let in
    /// sooner, and gets no more time for it. What it starts from then on has turns as usual, unless the administrator has
    /// favoured it: that is passed on, and the turns with it.
    ///
    /// Before Linux 6.12 nothing comes of it, nor where the administrator has chosen another policy than SCHED_OTHER.
    public static func shorten() {
        var scheduling = waymark_scheduling()
        guard waymark_get_scheduling(&scheduling) == 0, scheduling.policy == UInt32(SCHED_OTHER) else { return }
        scheduling.runtime = shortest
        if scheduling.nice >= 0 { scheduling.flags |= isNotInherited }
        if waymark_set_scheduling(&scheduling) != 0 {
            Log.debug("turns are as long as others': \(SystemError.text(errno))")
        }
    }

    /// Lets those run who wait for this processor, sched_yield(2).
    public static func yield() { sched_yield() }
}
