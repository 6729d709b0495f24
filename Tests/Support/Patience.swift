/// The timeouts of tests, in seconds.
public enum Patience {
    /// For actions that the daemon has to perform by itself: less than the 30 s after which it checks again anyway, or
    /// a test would wait for that check and miss the defect.
    public static let daemon: Double = 25
}
