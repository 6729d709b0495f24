import Glibc

/// The processor time of the calling thread, for tests of how much work something is: the time that passes depends on what else
/// the machine does.
public enum ThreadTime {
    /// Since the thread began: CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
    public static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
