import CTest
import Platform

/// Sets the system's wall clock by the smallest possible step, so that the machine's time stays right. Needs root.
public enum SystemClockNudge {
    /// Sets the clock; the kernel notifies all programs that wait for it.
    public static func perform() throws(SystemError) {
        try retrying("clock_adjtime") { waymark_test_move_clock(1) }
    }
}
