import CTest
import Platform

/// Sets the system's wall clock by the least there is, so that the machine's time stays right. Only root may.
public enum SystemClockNudge {
    /// Does it: the kernel tells all who want to know of it.
    public static func perform() throws(SystemError) {
        try retrying("clock_adjtime") { waymark_test_move_clock(1) }
    }
}
