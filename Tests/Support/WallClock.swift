import CTest
import Platform

/// The system's wall clock, which belongs to everybody.
public enum WallClock {
    /// Sets it, by the least there is and not to a time that was read before: the machine's time stays right.
    public static func nudge() throws(SystemError) {
        try retrying("clock_adjtime") { waymark_test_move_clock(1) }
    }
}
